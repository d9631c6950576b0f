;; Waits for an hour.
(component
  (import "wasi:io/poll@0.2.0" (instance $poll
    (export "pollable" (type $pollable'' (sub resource)))
    (export "[method]pollable.block" (func (param "self" (borrow $pollable''))))))
  (alias export $poll "pollable" (type $pollable))
  (import "wasi:clocks/monotonic-clock@0.2.0" (instance $clock
    (export "pollable" (type $pollable'' (eq $pollable)))
    (export "subscribe-duration" (func (param "when" u64) (result (own $pollable''))))))
  (core func $after (canon lower (func $clock "subscribe-duration")))
  (core func $block (canon lower (func $poll "[method]pollable.block")))
  (core instance $host (export "after" (func $after)) (export "block" (func $block)))
  (core module $module
    (import "host" "after" (func $after (param i64) (result i32)))
    (import "host" "block" (func $block (param i32)))
    ;; include memory
    ;; include specs
    ;; include reply
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (call $block (call $after (i64.const 3600000000000)))
      (call $say (i32.const 1056) (i32.const 10))))
  (core instance $guest (instantiate $module (with "host" (instance $host))))
  ;; include export
)
