import SoundTrigger

/// What a text of the configuration is as the content of a value of this kind; `nil` if it is none.
func typedValue(_ text: String, kind: ValueKind) -> Value? {
  var parser = ValueParser()
  return try? parser.parse(Array(text.utf8).span, as: kind)
}
