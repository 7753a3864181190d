// A server of the standard library with the resources of PathsToUpstreamsTest. Prints its port.
package main

import (
	"fmt"
	"net"
	"net/http"
)

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, text) }
}

func main() {
	mux := http.NewServeMux()
	for _, pattern := range []string{"/api/login", "/api/orders/", "/vault/", "/admin/users/{user}/keys", "/files/{name}"} {
		mux.HandleFunc(pattern, says("limited"))
	}
	mux.HandleFunc("/files/me", says("open"))
	mux.HandleFunc("/", says("open"))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println("port", listener.Addr().(*net.TCPAddr).Port)
	panic(http.Serve(listener, mux))
}
