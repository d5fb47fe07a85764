// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// isWorker is an environment variable that makes the test binary a worker of a run.
const isWorker = "DRACONFORM_TEST_WORKER"

// components are the programs of a control plane: links to the test binary.
var components = []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"}

// TestMain runs components of fake control planes, and workers.
func TestMain(m *testing.M) {
	name := filepath.Base(os.Args[0])
	var err error
	switch {
	case slices.Contains(components, name):
		err = fakeComponent(name)
	case os.Getenv(isWorker) != "":
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		err = Worker(ctx, os.Stdin, os.Stdout, waitingSpecs())
		stop()
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	os.Exit(0)
}

// fakeComponent runs a component until it is terminated. It panics with SIGUSR1.
func fakeComponent(name string) error {
	fmt.Fprintln(os.Stderr, os.Getpid(), "is", name)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	crash := make(chan os.Signal, 1)
	signal.Notify(crash, syscall.SIGUSR1)
	failed := make(chan error, 1)
	switch name {
	case "etcd":
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", strings.TrimPrefix(flagOf("listen-client-urls"), "https://"))
		if err != nil {
			return err
		}
		defer listener.Close()
	case "kube-apiserver", "kube-scheduler":
		server := &http.Server{Addr: net.JoinHostPort(flagOf("bind-address"), flagOf("secure-port")), Handler: fakeAPI(), ReadHeaderTimeout: time.Minute}
		go func() { failed <- server.ListenAndServeTLS(flagOf("tls-cert-file"), flagOf("tls-private-key-file")) }()
	}
	select {
	case err := <-failed:
		return err
	case <-crash:
		panic("no such node")
	case <-ctx.Done():
		return nil
	}
}

// flagOf returns the value of a flag of a component.
func flagOf(name string) string {
	for _, arg := range os.Args[1:] {
		if value, ok := strings.CutPrefix(arg, "--"+name+"="); ok {
			return value
		}
	}
	return ""
}

// fakeAPI has what a spec needs before its body, and what the control plane needs to be
// ready.
func fakeAPI() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/readyz", func(http.ResponseWriter, *http.Request) {})
	answer := func(path string, object any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(object)
		})
	}
	answer("GET /api/v1/namespaces/{namespace}/serviceaccounts/default", corev1.ServiceAccount{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"}})
	answer("POST /api/v1/namespaces", corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}})
	return mux
}

// fakePrograms returns a folder with the components.
func fakePrograms(t *testing.T) string {
	t.Helper()
	g, dir := NewWithT(t), t.TempDir()
	self, err := os.Executable()
	g.Expect(err).NotTo(HaveOccurred())
	for _, name := range components {
		g.Expect(os.Symlink(self, filepath.Join(dir, name))).To(Succeed())
	}
	return dir
}
