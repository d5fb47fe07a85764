// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakeapi

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// UserToken is the token that clients of the pod proxy must send.
const UserToken = "token-of-the-user"

// NewPodProxy returns a client for core/v1 of an API server that only forwards
// requests to one pod, as the API server's proxy for pods does. Requests must
// use the given port. They are forwarded to the given address.
func NewPodProxy(tb testing.TB, namespace, pod string, port int, address string) rest.Interface {
	tb.Helper()
	mux := http.NewServeMux()
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: address})
	prefix := fmt.Sprintf("/api/v1/namespaces/%s/pods/%s:%d/proxy", namespace, pod, port)
	mux.Handle(prefix+"/", http.StripPrefix(prefix, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+UserToken {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		// An API server does not forward the header that it uses for
		// authentication.
		r.Header.Del("Authorization")
		proxy.ServeHTTP(w, r)
	})))
	server := httptest.NewServer(mux)
	tb.Cleanup(server.Close)
	client, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL, BearerToken: UserToken, QPS: -1})
	if err != nil {
		tb.Fatal(err)
	}
	return client.CoreV1().RESTClient()
}
