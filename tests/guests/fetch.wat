;; Sends one request, whose method and URL a test puts in, and says what came: the body, or the text of the error. What a test puts in for
;; `then` it does before it answers.
(component
  (import "innkeeper:http/fetch@0.1.0" (instance $fetch
    (type $request'' (record (field "method" string) (field "url" string) (field "headers" (list (tuple string string)))
      (field "body" (option (list u8))) (field "credential" (option string))))
    (export "request" (type $request (eq $request'')))
    (type $response'' (record (field "status" u16) (field "headers" (list (tuple string string))) (field "body" (list u8))))
    (export "response" (type $response (eq $response'')))
    (type $fetch-error'' (variant (case "denied" string) (case "invalid" string) (case "unreachable" string) (case "timed-out")
      (case "too-large" u64) (case "broken" string)))
    (export "fetch-error" (type $fetch-error (eq $fetch-error'')))
    (export "send" (func (param "request" $request) (result (result $response (error $fetch-error)))))))
  (alias export $fetch "send" (func $send))

  ;; The memory is an instance of its own, because the import needs it before the guest is there.
  (core module $home-module
    ;; include memory
    (data (i32.const 1280) "innkeeper:http/fetch")
    (data (i32.const 1304) "\00\05\00\00" "\14\00\00\00")
    (data (i32.const 2124) "\18\05\00\00" "\01\00\00\00")
    (data (i32.const 1344) "{{method}}")
    (data (i32.const 1360) "{{credential}}")
    (data (i32.const 1408) "{{url}}")
    (data (i32.const 1920) "three bytes and more")
    (data (i32.const 1952) "too large")
  )
  (core instance $home (instantiate $home-module))
  (alias core export $home "memory" (core memory $home-memory))
  (alias core export $home "realloc" (core func $home-realloc))
  (core func $send' (canon lower (func $send) (memory $home-memory) (realloc $home-realloc)))

  (core module $module
    (import "home" "memory" (memory (;0;) 1))
    (import "home" "realloc" (func $realloc (param i32 i32 i32 i32) (result i32)))
    (import "host" "send" (func $send (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)))
    (export "memory" (memory 0))
    (export "realloc" (func $realloc))
    ;; include specs
    ;; include reply
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (call $send
        (i32.const 1344) (i32.const {{method-length}})
        (i32.const 1408) (i32.const {{url-length}})
        (i32.const 0) (i32.const 0)
        (i32.const {{has-body}}) (i32.const 1920) (i32.const 20)
        (i32.const {{has-credential}}) (i32.const 1360) (i32.const {{credential-length}})
        (i32.const 4096))
      {{then}}
      (if (i32.and (i32.load8_u (i32.const 4096)) (i32.eq (i32.load8_u (i32.const 4104)) (i32.const 4)))
        (then (return (call $say (i32.const 1952) (i32.const 9)))))
      (if (result i32) (i32.eqz (i32.load8_u (i32.const 4096)))
        (then (call $say (i32.load (i32.const 4116)) (i32.load (i32.const 4120))))
        (else (call $say (i32.load (i32.const 4112)) (i32.load (i32.const 4116)))))))
  (core instance $guest (instantiate $module
    (with "home" (instance $home))
    (with "host" (instance (export "send" (func $send'))))))
  ;; include export
)
