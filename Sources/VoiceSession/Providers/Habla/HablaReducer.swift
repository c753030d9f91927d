// The reducer: the only place where state changes, without any effect beside.
extension HablaState {
  /// Changes the state as `action` wants it.
  public mutating func reduce(_ action: HablaAction) {
    switch action {
    case .initiateCall(let number): begin(number, isAgentCall: false)
    case .initiateAgentCall(let number, _, _): begin(number, isAgentCall: true)
    case .endCall: if callStatus.isOn { end(.ended) }
    case .setMuted(let isMuted): self.isMuted = isMuted
    case .setSpeaker(let isSpeaker): self.isSpeaker = isSpeaker
    case .answerConfirmation: activeCriticalConfirmation = nil
    case .selectBackend(let backend): preferences.backend = backend
    case .selectSourceLanguage(let language): preferences.languages.source = language
    case .selectTargetLanguage(let language): preferences.languages.target = language
    case .selectVoice(let voice): preferences.voice = voice
    case .selectCallerID(let number): preferences.callerID = number
    case .rememberCaller(let memory): callerMemory[memory.phoneNumber] = memory
    case .forgetCaller(let number): callerMemory[number] = nil
    case .deleteRecord(let id): history.removeAll { $0.id == id }
    case .dismissSummary: summary = nil
    case .setSystemMuted, .instruct, .endConversation, .hangUpAgent, .loadArchive, .loadCallerIDs, .checkCallerID:
      break
    case .verifyCallerID(let number, _): callerIDVerification = HablaVerification(phoneNumber: number)
    case .deleteCallerID(let sid):
      if let gone = callerIDs.first(where: { $0.sid == sid })?.phoneNumber, gone == preferences.callerID {
        preferences.callerID = nil
      }
      callerIDs.removeAll { $0.sid == sid }
    case .callReleased: if callStatus == .ended { callStatus = .idle }
    case .callRecorded(let record):
      history.insert(record, at: 0)
      summary = record
    case .archiveLoaded(let records, let memories):
      history = records
      callerMemory = Dictionary(memories.map { ($0.phoneNumber, $0) }) { $1 }
    case .callerIDsLoaded(let ids): callerIDs = ids
    case .callerIDVerification(let verification): callerIDVerification = verification
    case .problemOccurred(let error): problem = error
    case .callNamed, .statusChanged, .callFailed, .phaseChanged, .agentStatusChanged, .receivingChanged, .levelsChanged,
      .durationChanged, .lineChanged, .confirmationAsked, .factsChanged:
      if callStatus.isOn { reduceCall(action) }
    }
  }

  /// What a call tells; nothing of it counts when there is none any more.
  private mutating func reduceCall(_ action: HablaAction) {
    switch action {
    case .callNamed(let sid, let date):
      callSID = sid
      startedAt = date
    case .statusChanged(let status, let isReconnecting):
      guard status.isOn else { return end(status) }
      callStatus = status
      self.isReconnecting = isReconnecting
      if isAgentCall, agentStatus == .idle, status == .connected { agentStatus = .listening }
    case .callFailed(let error):
      callError = error
      end(.failed(error.message))
    case .phaseChanged(let phase): liveCallPhase = phase
    case .agentStatusChanged(let status): agentStatus = status
    case .receivingChanged(let isReceiving): isReceivingAudio = isReceiving
    case .levelsChanged(let level, let bands):
      inputAudioLevel = level
      levels = bands
    case .durationChanged(let seconds): callDuration = seconds
    case .lineChanged(let line):
      if let place = conversation.lastIndex(where: { $0.id == line.id }) {
        conversation[place] = line
      } else {
        conversation.append(line)
      }
    case .confirmationAsked(let confirmation): activeCriticalConfirmation = confirmation
    case .factsChanged(let facts): verifiedFactsSummary = facts
    default: break
    }
  }

  private mutating func begin(_ number: String, isAgentCall: Bool) {
    guard !callStatus.isOn else { return }
    self.number = number
    self.isAgentCall = isAgentCall
    callStatus = .initiating
    callSID = nil
    startedAt = nil
    callError = nil
    callDuration = 0
    conversation = []
    verifiedFactsSummary = []
    summary = nil
    quieten()
  }

  private mutating func end(_ status: HablaCallStatus) {
    callStatus = status
    isMuted = false
    quieten()
  }

  private mutating func quieten() {
    liveCallPhase = .idle
    agentStatus = .idle
    isReconnecting = false
    isReceivingAudio = false
    inputAudioLevel = 0
    levels = SessionLevels()
    activeCriticalConfirmation = nil
  }
}
