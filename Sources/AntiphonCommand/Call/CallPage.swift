/// The page that calls from a browser: microphone and loudspeaker of the browser, one button, the state in words.
enum CallPage {
  static let html = """
    <!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>Antiphon</title>
    <style>
      :root { color-scheme: light dark; }
      body { font: 16px/1.5 system-ui, sans-serif; max-width: 32rem; margin: 15vh auto; padding: 0 1rem; }
      button { font: inherit; padding: .5rem 1.5rem; }
      #state { margin-left: 1rem; }
    </style>
    <h1>Antiphon</h1>
    <p><button id="button">Call</button><span id="state" role="status">ready</span></p>
    <audio id="sound" autoplay></audio>
    <script>
      const [button, state, sound] = ["button", "state", "sound"].map(id => document.getElementById(id));
      let peer, resource;

      async function call() {
        const microphone = await navigator.mediaDevices.getUserMedia({ audio: true });
        peer = new RTCPeerConnection();
        peer.onconnectionstatechange = () => { state.textContent = peer.connectionState; };
        peer.ontrack = event => { sound.srcObject = event.streams[0] ?? new MediaStream([event.track]); };
        microphone.getTracks().forEach(track => peer.addTrack(track, microphone));
        await peer.setLocalDescription();
        await new Promise(done => {
          if (peer.iceGatheringState === "complete") done();
          peer.onicegatheringstatechange = () => { if (peer.iceGatheringState === "complete") done(); };
        });
        const response = await fetch("/whip", {
          method: "POST", headers: { "Content-Type": "application/sdp" }, body: peer.localDescription.sdp });
        if (response.status !== 201) throw new Error(await response.text());
        resource = response.headers.get("Location");
        await peer.setRemoteDescription({ type: "answer", sdp: await response.text() });
        button.textContent = "End";
      }

      async function end() {
        peer?.close();
        peer = undefined;
        if (resource) await fetch(resource, { method: "DELETE" });
        resource = undefined;
        button.textContent = "Call";
        state.textContent = "ended";
      }

      button.onclick = () => (peer ? end() : call()).catch(error => {
        peer?.close();
        peer = undefined;
        state.textContent = error.message;
      });
    </script>
    </html>
    """
}
