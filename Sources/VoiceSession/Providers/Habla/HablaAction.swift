public import Foundation

/// All that can change an app's state.
public enum HablaAction: Sendable, Hashable {
  // What the user wants.

  /// Calls, and is translated. Ignored while there is a call.
  case initiateCall(to: String)
  /// Has the agent call. Ignored while there is a call.
  case initiateAgentCall(to: String, prompt: String, userName: String)
  /// Ends the call, in any state.
  case endCall
  /// Switches the microphone off or on, before a call or in it.
  case setMuted(Bool)
  /// The same by the system, as while another call rings; the user's own choice stays.
  case setSystemMuted(Bool)
  /// Chooses the loudspeaker.
  case setSpeaker(Bool)
  /// Steers the agent.
  case instruct(String)
  /// Has the agent say goodbye in these words and hang up.
  case endConversation(String)
  /// Has the agent hang up at once.
  case hangUpAgent
  /// Answers `activeCriticalConfirmation`.
  case answerConfirmation(Bool)
  case selectBackend(HablaBackend)
  case selectSourceLanguage(HablaLanguage)
  case selectTargetLanguage(HablaLanguage)
  case selectVoice(HablaVoice)
  case selectCallerID(String?)
  /// Remembers a callee, who has consented to it.
  case rememberCaller(HablaCallerMemory)
  case forgetCaller(String)
  case deleteRecord(UUID)
  case dismissSummary
  /// Reads history and callees again; the store does it once at its beginning.
  case loadArchive
  case loadCallerIDs
  case verifyCallerID(phoneNumber: String, friendlyName: String?)
  /// Asks whether the number is verified by now.
  case checkCallerID(phoneNumber: String)
  case deleteCallerID(sid: String)

  // What has happened.

  /// The back end has named the call.
  case callNamed(String, at: Date)
  case statusChanged(HablaCallStatus, isReconnecting: Bool)
  case callFailed(SessionError)
  /// Sockets and sound of the call are given back.
  case callReleased
  case phaseChanged(HablaLivePhase)
  case agentStatusChanged(HablaAgentStatus)
  case receivingChanged(Bool)
  case levelsChanged(Double, SessionLevels)
  case durationChanged(Int)
  /// A line is new, or changed.
  case lineChanged(HablaLine)
  case confirmationAsked(HablaConfirmation)
  case factsChanged([HablaFact])
  case callRecorded(HablaCallRecord)
  case archiveLoaded([HablaCallRecord], [HablaCallerMemory])
  case callerIDsLoaded([HablaCallerID])
  case callerIDVerification(HablaVerification?)
  /// Something beside the call did not work.
  case problemOccurred(SessionError)
}
