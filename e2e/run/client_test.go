// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/draconform/draconform/e2e/suite/env"
)

// Guards that one failed read of a busy API server fails no spec, whoever reads.
func TestClientsRepeatReads(t *testing.T) {
	g := NewWithT(t)
	failed := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if user := request.Header.Get("Impersonate-User"); !failed[user] {
			failed[user] = true
			http.Error(w, "etcdserver: request timed out", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"kind":"Node","apiVersion":"v1","metadata":{"name":"one"}}`) // The client sees a broken connection.
	}))
	t.Cleanup(server.Close)
	r := &runner{}
	g.Expect(r.connect(&rest.Config{Host: server.URL})).To(Succeed())
	reader, err := r.as(env.User{Name: "reader"})
	g.Expect(err).NotTo(HaveOccurred())
	for user, client := range map[string]kubernetes.Interface{"": r.client, "reader": reader} {
		_, err := client.CoreV1().Nodes().Get(t.Context(), "one", metav1.GetOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(failed).To(HaveKey(user))
	}
}

func TestClientsActAsUsers(t *testing.T) {
	g := NewWithT(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		g.Expect(request.Header["Impersonate-User"]).To(HaveExactElements("system:node:one"))
		g.Expect(request.Header["Impersonate-Group"]).To(HaveExactElements("system:nodes"))
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"kind":"Node","apiVersion":"v1","metadata":{"name":"one"}}`)
	}))
	t.Cleanup(server.Close)
	r := &runner{}
	g.Expect(r.connect(&rest.Config{Host: server.URL})).To(Succeed())
	kubelet, err := r.as(env.User{Name: "system:node:one", Groups: []string{"system:nodes"}})
	g.Expect(err).NotTo(HaveOccurred())
	_, err = kubelet.CoreV1().Nodes().Get(t.Context(), "one", metav1.GetOptions{})
	g.Expect(err).NotTo(HaveOccurred())
}

func TestClusterWithoutKubeconfigIsAnError(t *testing.T) {
	g := NewWithT(t)
	g.Expect((&runner{}).connect(nil)).To(MatchError("connect to the cluster: its kubeconfig cannot be read"))
}
