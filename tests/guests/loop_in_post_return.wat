;; Answers, and then loops for ever while it is told that its answer was read.
(component
  (core module $module
    ;; include memory
    ;; include specs
    ;; include reply
    (data (i32.const 1280) "done")
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (call $say (i32.const 1280) (i32.const 4)))
    (func (export "post") (param i32) (loop $again (br $again))))
  (core instance $guest (instantiate $module))
  (alias core export $guest "post" (core func $post))
  ;; include export with (post-return (core func $post))
)
