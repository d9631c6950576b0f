;; Answers with a text of 5 MiB, which is more than a reply may hold.
(component
  (core module $module
    ;; include memory
    ;; include specs
    ;; include reply
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (local $text i32)
      (local.set $text (call $realloc (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 5242880)))
      (memory.fill (local.get $text) (i32.const 120) (i32.const 5242880))
      (call $say (local.get $text) (i32.const 5242880))))
  (core instance $guest (instantiate $module))
  ;; include export
)
