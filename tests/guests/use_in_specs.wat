;; Reaches for randomness while it is asked for its tools, when nothing is at hand.
(component
  (import "innkeeper:random/random@0.1.0" (instance $random
    (export "below" (func (param "bound" u64) (result u64)))))
  (alias export $random "below" (func $below))
  (core func $draw (canon lower (func $below)))
  (core module $module
    (import "random" "below" (func $draw (param i64) (result i64)))
    ;; include memory
    (func (export "specs") (result i32)
      (drop (call $draw (i64.const 6)))
      (i32.const 2304))
    ;; include reply
    (func (export "call") (param i32 i32 i32 i32) (result i32) (unreachable)))
  (core instance $guest (instantiate $module (with "random" (instance (export "below" (func $draw))))))
  ;; include export
)
