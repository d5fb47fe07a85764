// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"k8s.io/klog/v2"
	"k8s.io/utils/lru"
)

// keptExplanations is the number of pods whose last explanation is kept. One explanation takes some kilobytes.
const keptExplanations = 100

// explanations holds the last explanation of each pod. The oldest ones are evicted first.
type explanations struct {
	kept *lru.Cache // PodExplanation by namespace/name.

	mu      sync.Mutex
	serving map[string]bool // The addresses that are served.
}

func newExplanations() *explanations {
	return &explanations{kept: lru.New(keptExplanations), serving: map[string]bool{}}
}

func (e *explanations) keep(x *PodExplanation) { e.kept.Add(x.Namespace+"/"+x.Name, x) }

// serve handles GET /debug/draconform/pods/<namespace>/<name> on the address until the context ends. The response is
// JSON, or text with ?output=text. It has a listener of its own because plugins cannot register handlers with
// kube-scheduler. Several profiles may use the same address.
func (e *explanations) serve(ctx context.Context, address string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.serving[address] {
		return nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("listen for debugging: %w", err)
	}
	e.serving[address] = true
	server := &http.Server{Handler: e.handler(), ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			klog.FromContext(ctx).Error(err, "serve explanations", "address", address)
		}
	}()
	return nil
}

func (e *explanations) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/draconform/pods/{namespace}/{name}", func(w http.ResponseWriter, r *http.Request) {
		key := r.PathValue("namespace") + "/" + r.PathValue("name")
		value, ok := e.kept.Get(key)
		x, isExplanation := value.(*PodExplanation)
		if !ok || !isExplanation {
			http.Error(w, fmt.Sprintf("no explanation of pod %s: it had enough devices, or too many other pods failed since then", key), http.StatusNotFound)
			return
		}
		if r.URL.Query().Get("output") == "text" {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.Header().Set("X-Content-Type-Options", "nosniff")
			_, _ = io.WriteString(w, x.String()) //nolint:gosec // it is served as plain text
			return
		}
		w.Header().Set("Content-Type", "application/json")
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		_ = encoder.Encode(x) // The client has disconnected.
	})
	return mux
}

// String returns the full explanation.
func (x *PodExplanation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "pod %s/%s at %s: no devices on %s, %d explained\n", x.Namespace, x.Name, x.Time.UTC().Format(time.RFC3339),
		nodes(x.NodesWithoutDevices), x.NodesExplained)
	for _, group := range x.Groups {
		fmt.Fprintf(&b, "\n%s: %s\n%s", nodes(len(group.Nodes)), strings.Join(group.Nodes, ", "), group.Explanation)
	}
	return b.String()
}
