import Foundation
import Networking
import TestPeers

/// The WebRTC of a real browser as a call's other end: it plays a tone, and analyses what it hears.
struct BrowserPeer: Sendable {
  let browser: LiveBrowser

  /// A page with a peer connection whose track is a tone of `frequency` hertz.
  init(on loop: EventLoop, frequency: Double, configuration: String = "{}") async throws {
    browser = try await LiveBrowser.start(on: loop)
    try await browser.run(
      """
      (async () => {
        window.context = new AudioContext({ sampleRate: 48000 });
        const tone = new OscillatorNode(context, { frequency: \(frequency) });
        const volume = new GainNode(context, { gain: 0.3 });
        const target = context.createMediaStreamDestination();
        tone.connect(volume).connect(target);
        tone.start();
        window.pc = new RTCPeerConnection(\(configuration));
        window.sender = pc.addTrack(target.stream.getAudioTracks()[0], target.stream);
        pc.ontrack = event => {
          if (window.analyser) return;  // told again after a hold
          const stream = new MediaStream([event.track]);
          window.sound = new Audio();
          sound.srcObject = stream;
          sound.play();
          window.analyser = new AnalyserNode(context, { fftSize: 16384, smoothingTimeConstant: 0 });
          context.createMediaStreamSource(stream).connect(analyser);
        };
        window.gathered = () => new Promise(done => {
          const look = () => { if (pc.iceGatheringState === "complete") done(); };
          pc.addEventListener("icegatheringstatechange", look);
          look();
        });
        window.stat = async (type, filter) => {
          for (const entry of (await pc.getStats()).values())
            if (entry.type === type && (!filter || filter(entry))) return entry;
          return null;
        };
      })()
      """)
  }

  /// An offer with all candidates.
  func offer(_ options: String = "{}") async throws -> String {
    try await browser.text(
      """
      (async () => {
        await pc.setLocalDescription(await pc.createOffer(\(options)));
        await gathered();
        return pc.localDescription.sdp;
      })()
      """)
  }

  func accept(answer: String) async throws {
    try await browser.run("pc.setRemoteDescription({ type: 'answer', sdp: \(Self.quoted(answer)) })")
  }

  /// An answer with all candidates.
  func answer(to offer: String) async throws -> String {
    try await browser.text(
      """
      (async () => {
        await pc.setRemoteDescription({ type: "offer", sdp: \(Self.quoted(offer)) });
        await pc.setLocalDescription();
        await gathered();
        return pc.localDescription.sdp;
      })()
      """)
  }

  /// Waits until the connection stands.
  func connected(within seconds: Double = 10) async throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while try await browser.text("pc.connectionState") != "connected" {
      if ContinuousClock.now > deadline {
        let state = try await browser.text("pc.connectionState")
        throw LiveBrowser.Failed("the browser's connection is \(state)")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// The frequency with most power in what the browser hears now, in hertz; 0 when it is below -70 dB.
  func heardFrequency() async throws -> Double {
    try await browser.number(
      """
      (() => {
        const bins = new Float32Array(analyser.frequencyBinCount);
        analyser.getFloatFrequencyData(bins);
        let best = 0;
        bins.forEach((value, index) => { if (value > bins[best]) best = index; });
        return bins[best] < -70 ? 0 : best * context.sampleRate / analyser.fftSize;
      })()
      """)
  }

  /// A number out of the browser's statistics: of the first entry of `type` for which `filter` holds.
  func statistic(_ name: String, of type: String, where filter: String = "true") async throws -> Double {
    try await browser.number(
      "(async () => (await stat('\(type)', entry => \(filter)))?.\(name) ?? -1)()")
  }

  func close() async { await browser.close() }

  static func quoted(_ text: String) -> String {
    String(decoding: (try? JSONEncoder().encode(text)) ?? Data(), as: UTF8.self)
  }
}
