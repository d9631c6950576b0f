;; Answers with a structured part that a test puts in the place of a mark.
(component
  (core module $module
    ;; include memory
    ;; include specs
    ;; include reply
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (local $at i32)
      (local.set $at (call $realloc (i32.const 0) (i32.const 0) (i32.const 1) (i32.const (; bytes ;) 0)))
      (memory.init $json (local.get $at) (i32.const 0) (i32.const (; bytes ;) 0))
      (i32.store8 (i32.const 3084) (i32.const 1))
      (i32.store (i32.const 3088) (local.get $at))
      (i32.store (i32.const 3092) (i32.const (; bytes ;) 0))
      (call $say (i32.const 1024) (i32.const 7)))
    (data $json "(; json ;)"))
  (core instance $guest (instantiate $module))
  ;; include export
)
