// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// watchEventTimeout is how long a view waits for the watch events of what it has read.
// If they do not arrive, because watching is not allowed or the API server has
// just restarted, the view is returned without them.
const watchEventTimeout = 5 * time.Second

// lateEventTimeout is how long events of the past are waited for before an alarm is
// raised. See View.late. It is long for an API server on a busy machine, and costs
// time only in a spec that fails.
const lateEventTimeout = 10 * time.Second

// EventTimeout is how long the read and the audit of a view wait for watch events at
// most.
const EventTimeout = 2*watchEventTimeout + lateEventTimeout

// Follower reads views of a cluster, each with the states of claims, slices and
// node labels since the previous one. Its methods must be called by one goroutine only.
type Follower struct {
	// Namespace, if set, limits the pods of views to those of this namespace.
	// A caller without rights on other namespaces can follow then. Claims, slices
	// and nodes of the whole cluster are followed in any case, because devices
	// are shared.
	Namespace string
	// PodsOf, if set, limits the namespaces of views and their pods to these namespaces.
	// They need not exist.
	PodsOf []string
	// TaintRules, if set, lists the DeviceTaintRules of the cluster. Without it,
	// only the taints in slices are audited.
	TaintRules func(context.Context) (*resourceapi.DeviceTaintRuleList, error)

	client  kubernetes.Interface
	drivers []string
	claims  *stateLog[resourceapi.ResourceClaim, *resourceapi.ResourceClaim]
	slices  *stateLog[resourceapi.ResourceSlice, *resourceapi.ResourceSlice]
	nodes   *stateLog[corev1.Node, *corev1.Node]
	done    []<-chan struct{}
}

// Follow watches the devices of the given drivers, or of all drivers if none
// are given, until the context ends. Views contain only the slices of these drivers.
func Follow(ctx context.Context, client kubernetes.Interface, drivers []string) *Follower {
	f := &Follower{client: client, drivers: drivers}
	f.claims = newStateLog(func(c *resourceapi.ResourceClaim) bool { return hasOnly(c, drivers) }, sameClaim)
	f.slices = newStateLog(func(s *resourceapi.ResourceSlice) bool { return f.audits(s.Spec.Driver) }, sameSlice)
	f.nodes = newStateLog(func(*corev1.Node) bool { return true }, sameLabels)
	f.follow(ctx, &resourceapi.ResourceClaim{}, f.claims, all(client.ResourceV1().ResourceClaims("")))
	f.follow(ctx, &resourceapi.ResourceSlice{}, f.slices, all(client.ResourceV1().ResourceSlices()))
	f.follow(ctx, &corev1.Node{}, f.nodes, all(client.CoreV1().Nodes()))
	return f
}

// all lists and watches all objects of a kind.
func all[L runtime.Object](client interface {
	List(context.Context, metav1.ListOptions) (L, error)
	Watch(context.Context, metav1.ListOptions) (watch.Interface, error)
}) *cache.ListWatch {
	return &cache.ListWatch{
		ListWithContextFunc:  func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return client.List(ctx, o) },
		WatchFuncWithContext: client.Watch,
	}
}

func (f *Follower) follow(ctx context.Context, kind any, into cache.ReflectorStore, source *cache.ListWatch) {
	reflector := cache.NewReflector(cache.ToListWatcherWithWatchListSemantics(source, f.client), kind, into, 0)
	// A failing reflector retries, and Read works without it, so its errors are
	// not logged.
	ctx = klog.NewContext(ctx, klog.Logger{})
	done := make(chan struct{})
	f.done = append(f.done, done)
	go func() {
		defer close(done)
		reflector.RunWithContext(ctx)
	}()
}

func (f *Follower) audits(driver string) bool {
	return len(f.drivers) == 0 || slices.Contains(f.drivers, driver)
}

func sameClaim(a, b *resourceapi.ResourceClaim) bool {
	return a.UID == b.UID && equality.Semantic.DeepEqual(a.Status, b.Status)
}

func sameSlice(a, b *resourceapi.ResourceSlice) bool {
	changes, _ := compareSlices(a, b)
	return !changes
}

func sameLabels(a, b *corev1.Node) bool { return a.UID == b.UID && sameNode(*a, *b) }

// Wait returns when all goroutines of the Follower have ended, which they do
// after its context has ended, or when the given context ends. A goroutine that
// waits for an API server may end a little later.
func (f *Follower) Wait(ctx context.Context) {
	for _, done := range f.done {
		select {
		case <-done:
		case <-ctx.Done():
		}
	}
}

// Read works like [Read] and adds the states since the last call, as far as the watch
// events have arrived.
func (f *Follower) Read(ctx context.Context) (View, error) {
	v, err := scope{f.Namespace, f.PodsOf, f.drivers}.read(ctx, f.client)
	if err != nil {
		return v, err
	}
	if f.TaintRules != nil {
		rules, err := f.TaintRules(ctx)
		if err != nil {
			return v, fmt.Errorf("read the device taint rules: %w", err)
		}
		v.TaintRules = rules.Items
	}
	f.addStates(ctx, &v)
	v.late = func(ctx context.Context) View { return f.late(ctx, v) }
	return v, nil
}

// late implements View.late. It waits even if the context has ended, because a
// canceled audit would raise false alarms without the wait.
func (f *Follower) late(ctx context.Context, v View) View {
	<-time.After(lateEventTimeout)
	later := v
	f.addStates(ctx, &later)
	later.Earlier = slices.Concat(v.Earlier, later.Earlier)
	later.Seamless = v.Seamless && later.Seamless
	later.SeamlessNodes = v.SeamlessNodes && later.SeamlessNodes
	return later
}

// addStates sets the states between the one that the last call found and a view.
func (f *Follower) addStates(ctx context.Context, v *View) {
	ctx, cancel := context.WithTimeout(ctx, watchEventTimeout)
	defer cancel()
	// If states are missing, it is unknown which of them the last view already
	// covered.
	v.Earlier, _ = since(ctx, f.claims, v.Claims, v.claimsAt)
	v.Offered, v.Seamless = since(ctx, f.slices, v.Slices, v.slicesAt)
	v.Labelled, v.SeamlessNodes = since(ctx, f.nodes, v.Nodes, v.nodesAt)
}

// since returns the states between the last read one and this one, which was read
// at a resource version, if all are known.
func since[T any, P object[T]](ctx context.Context, j *stateLog[T, P], now []T, at string) (states [][]P, seamless bool) {
	for {
		states, seamless, found, more := j.statesUntil(now, at)
		if found {
			if !seamless {
				states = nil
			}
			return states, seamless
		}
		select {
		case <-more:
		case <-ctx.Done():
			j.markGap()
			return nil, false
		}
	}
}

func pointersTo[T any](values []T) []*T {
	var pointers []*T
	for i := range values {
		pointers = append(pointers, &values[i])
	}
	return pointers
}
