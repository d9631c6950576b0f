;; Hands over 21 MiB in one call into the host.
(component
  (import "innkeeper:log/log@0.1.0" (instance $log
    (type $level'' (enum "debug" "info" "warn" "error"))
    (export "level" (type $level (eq $level'')))
    (export "write" (func (param "level" $level) (param "message" string)))))
  (alias export $log "write" (func $write))
  (core module $pages (memory (export "memory") 400))
  (core instance $page (instantiate $pages))
  (alias core export $page "memory" (core memory $noise))
  (core func $shout (canon lower (func $write) (memory $noise)))
  (core module $module
    (import "log" "write" (func $shout (param i32 i32 i32)))
    ;; include memory
    ;; include specs
    ;; include reply
    (data (i32.const 1280) "done")
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (local $left i32)
      (local.set $left (i32.const 1))
      (loop $again
        (call $shout (i32.const 1) (i32.const 0) (i32.const 22020096))
        (local.set $left (i32.sub (local.get $left) (i32.const 1)))
        (br_if $again (local.get $left)))
      (call $say (i32.const 1280) (i32.const 4))))
  (core instance $guest (instantiate $module (with "log" (instance (export "write" (func $shout))))))
  ;; include export
)
