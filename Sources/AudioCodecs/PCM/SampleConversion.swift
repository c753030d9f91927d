/// The 16-bit value of a float sample: times 32,768, rounded to nearest (halves away from zero), clipped; NaN gives 0.
@_noLocks
func linear16(_ sample: Float) -> Int {
  let scaled = sample * 32_768
  if scaled >= 32_767 { return 32_767 }
  if scaled > -32_768 { return Int(scaled + (scaled < 0 ? -0.5 : 0.5)) }
  return scaled.isNaN ? 0 : -32_768
}

/// The float sample of a 16-bit value: -1 to 32,767/32,768, exact.
@_noLocks
func floatSample(_ value: Int) -> Float {
  Float(value) * (1 / 32_768)
}
