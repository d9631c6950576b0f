;; Answers with a structured part that is no JSON.
(component
  (core module $module
    ;; include memory
    ;; include specs
    ;; include reply
    (data (i32.const 1280) "{\"a\":")
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (i32.store8 (i32.const 3084) (i32.const 1))
      (i32.store (i32.const 3088) (i32.const 1280))
      (i32.store (i32.const 3092) (i32.const 5))
      (call $say (i32.const 1024) (i32.const 7))))
  (core instance $guest (instantiate $module))
  ;; include export
)
