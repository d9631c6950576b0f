;; Answers with a text that claims to be 256 MiB long and lies outside its memory.
(component
  (core module $module
    ;; include memory
    ;; include specs
    ;; include reply
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (call $say (i32.const 65000) (i32.const 268435456))))
  (core instance $guest (instantiate $module))
  ;; include export
)
