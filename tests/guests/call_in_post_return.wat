;; Answers, and reaches for the host once more while it is told that its answer was read.
(component
  (import "innkeeper:random/random@0.1.0" (instance $random
    (export "below" (func (param "bound" u64) (result u64)))))
  (alias export $random "below" (func $below))
  (core func $draw (canon lower (func $below)))
  (core module $module
    (import "random" "below" (func $draw (param i64) (result i64)))
    ;; include memory
    ;; include specs
    ;; include reply
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (call $say (i32.const 1024) (i32.const 7)))
    (func (export "post") (param i32) (drop (call $draw (i64.const 6)))))
  (core instance $guest (instantiate $module (with "random" (instance (export "below" (func $draw))))))
  (alias core export $guest "post" (core func $post))
  ;; include export with (post-return (core func $post))
)
