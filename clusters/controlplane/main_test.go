// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Environment variables of the fake programs. Each names a component.
const (
	dies      = "FAKE_DIES"       // it prints lines and ends with status 3
	silent    = "FAKE_SILENT"     // it does nothing
	portTwice = "FAKE_PORT_TAKEN" // component=file: its port is taken if the file does not exist
	// runs makes the test binary create a control plane and print its processes. Its
	// value is the folder of the programs.
	runs = "FAKE_RUN"
)

// TestMain runs the fake programs: links to the test binary with the names of the
// components.
func TestMain(m *testing.M) {
	name := filepath.Base(os.Args[0])
	if os.Getenv(runs) != "" && !slices.Contains(components, name) {
		runAndWait()
	}
	if !slices.Contains(components, name) {
		os.Exit(m.Run())
	}
	if err := fakeProgram(name); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}

var components = []string{etcd, kubeAPIServer, kubeControllerManager, kubeScheduler}

func fakeProgram(name string) error {
	fmt.Fprintln(os.Stderr, name, "was started with", strings.Join(os.Args[1:], " "), "GOGC="+os.Getenv("GOGC"))
	if os.Getenv(dies) == name {
		return fmt.Errorf("%s: a reason to end", name)
	}
	if component, file, _ := strings.Cut(os.Getenv(portTwice), "="); component == name {
		if _, err := os.Stat(file); err != nil {
			return errors.Join(errors.New("listen tcp 127.0.0.1: bind: address already in use"), os.WriteFile(file, nil, 0o600))
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	switch {
	case os.Getenv(silent) == name:
	case name == etcd:
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", strings.TrimPrefix(flagOf("listen-client-urls"), "https://"))
		if err != nil {
			return err
		}
		defer listener.Close()
	case name == kubeAPIServer:
		go serve(fakeAPI())
	case name == kubeControllerManager:
		go serve(fakeMetrics(name))
		if err := put(ctx, serviceAccountPath); err != nil {
			return err
		}
	case name == kubeScheduler:
		go serve(fakeMetrics(name))
	}
	<-ctx.Done()
	return nil
}

// flagOf returns the value of a flag of a fake program.
func flagOf(name string) string {
	for _, arg := range os.Args[1:] {
		if value, ok := strings.CutPrefix(arg, "--"+name+"="); ok {
			return value
		}
	}
	return ""
}

// serve serves a handler and /readyz at the address of the flags.
func serve(mux *http.ServeMux) {
	mux.HandleFunc("/readyz", func(http.ResponseWriter, *http.Request) {})
	server := &http.Server{
		Addr: net.JoinHostPort(flagOf("bind-address"), flagOf("secure-port")), Handler: mux, ReadHeaderTimeout: time.Minute,
		TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12},
	}
	fmt.Fprintln(os.Stderr, server.ListenAndServeTLS(flagOf("tls-cert-file"), flagOf("tls-private-key-file")))
	os.Exit(3)
}

// serviceAccountPath is the path of the object that readiness depends on.
const serviceAccountPath = "/api/v1/namespaces/default/serviceaccounts/default"

// fakeAPI serves the service account after a PUT, and who the user is.
func fakeAPI() *http.ServeMux {
	mux := http.NewServeMux()
	write := func(w http.ResponseWriter, object any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(object)
	}
	var mu sync.Mutex
	created := false
	mux.HandleFunc(serviceAccountPath, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if created = created || r.Method == http.MethodPut; !created {
			http.NotFound(w, r)
			return
		}
		write(w, corev1.ServiceAccount{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"}})
	})
	mux.HandleFunc("/user", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, userOfToken(r, flagOf("token-auth-file")))
	})
	return mux
}

// fakeMetrics serves who reads the metrics of which component.
func fakeMetrics(component string) *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("/metrics", func(w http.ResponseWriter, r *http.Request) {
		// A component asks the API server.
		user := userOfToken(r, filepath.Join(filepath.Dir(flagOf("tls-cert-file")), tokensFile))
		if user == "" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		fmt.Fprintf(w, "of %s for %s", component, user)
	})
	return mux
}

// userOfToken returns the name and the groups of the user whose token a request has, by a
// file of tokens.
func userOfToken(r *http.Request, file string) string {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	content, _ := os.ReadFile(file)
	reader := csv.NewReader(bytes.NewReader(content))
	reader.FieldsPerRecord = -1 // Not all users have groups.
	lines, _ := reader.ReadAll()
	for _, line := range lines {
		if line[0] == token {
			return strings.Join(append(line[1:2], line[3:]...), " of ")
		}
	}
	return ""
}

// put sends a PUT without a body to the fake API.
func put(ctx context.Context, path string) error {
	config, err := readKubeconfig(flagOf("kubeconfig"))
	if err != nil {
		return err
	}
	client, err := httpClient(config)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, config.Host+path, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// runAndWait creates a control plane, prints its processes and waits to be killed.
func runAndWait() {
	p := New(Options{Programs: programsIn(os.Getenv(runs)), Keep: os.Getenv("FAKE_KEEP") != ""})
	if _, err := p.Create(context.Background()); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for _, id := range p.Processes() {
		fmt.Println(id)
	}
	fmt.Println(p.Folder())
	select {}
}

func programsIn(dir string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return dir, nil }
}

// fakePrograms returns a folder with fake programs.
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

// lots is longer than any operation in these tests.
const lots = time.Minute
