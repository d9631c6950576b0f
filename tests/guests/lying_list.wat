;; Answers with a list that claims to have 2^28 blocks.
(component
  (core module $module
    ;; include memory
    ;; include specs
    ;; include reply
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (drop (call $say (i32.const 0) (i32.const 0)))
      (i32.store (i32.const 3080) (i32.const 268435456))
      (i32.const 3072)))
  (core instance $guest (instantiate $module))
  ;; include export
)
