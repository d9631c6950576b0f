;; Speaks UTF-16 and answers with half a character.
(component
  (core module $module
    ;; include memory
    ;; include specs
    ;; include reply
    (data (i32.const 1280) "a\00\00\d8b\00")
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (call $say (i32.const 1280) (i32.const 3))))
  (core instance $guest (instantiate $module))
  ;; include export with string-encoding=utf16
)
