;; Answers with bytes that are no UTF-8.
(component
  (core module $module
    ;; include memory
    ;; include specs
    ;; include reply
    (data (i32.const 1280) "\ff\fe\80")
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (call $say (i32.const 1280) (i32.const 3))))
  (core instance $guest (instantiate $module))
  ;; include export
)
