// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	corelisters "k8s.io/client-go/listers/core/v1"
	resourcelisters "k8s.io/client-go/listers/resource/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/dynamic-resource-allocation/resourceslice"

	"github.com/draconform/draconform/fakedriver/publish"
)

// retryInterval is the interval after which the API server is probed again when
// it was unreachable or supported no form.
const retryInterval = 5 * time.Second

var (
	errSyncing = errors.New("nodes and ResourceSlices were not read yet")
	errDropped = errors.New("the API server dropped fields that it kept in a dry run")
)

// leader publishes the pool while its replica holds the lease.
type leader struct {
	config Config
	state  *state
	wake   chan struct{}
	nodes  corelisters.NodeLister
	slices resourcelisters.ResourceSliceLister
	pool   poolWriter
	// first are the first nodes, for a controller with a fault.
	first []*corev1.Node

	// form is the form that the API server supports. unsupported is the reason
	// if it supports none. detectErr is the error of the last probe.
	form        publish.Form
	unsupported error
	detectErr   error

	mu sync.Mutex
	// dryRunUnreliable is set after the API server dropped fields that it kept in a
	// dry run. This happens while API servers with different feature gates
	// serve the same cluster. It is reset when a dry run drops the fields as
	// well.
	dryRunUnreliable bool
	writeErr         error
}

func newLeader(config Config, state *state) *leader {
	l := &leader{config: config, state: state, wake: make(chan struct{}, 1), detectErr: errSyncing}
	l.pool = poolWriter{config: config, handleError: l.handleError}
	return l
}

// run leads until the context is done and all writes have ended.
func (l *leader) run(ctx context.Context) {
	l.state.set(ctx, "", errSyncing)
	ctx, stop := context.WithCancel(ctx)
	nodes, slices := l.informers()
	defer func() {
		stop()
		l.pool.stop()
		nodes.Shutdown()
		slices.Shutdown()
	}()
	for _, factory := range []informers.SharedInformerFactory{nodes, slices} {
		factory.Start(ctx.Done())
		factory.WaitForCacheSync(ctx.Done())
	}

	check := time.NewTimer(0)
	defer check.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-check.C:
			check.Reset(l.check(ctx))
		case <-l.wake:
		}
		l.round(ctx)
	}
}

// informers returns the informer factories for nodes and for the driver's
// ResourceSlices.
func (l *leader) informers() (nodes, slices informers.SharedInformerFactory) {
	nodes = informers.NewSharedInformerFactory(l.config.Client, 0)
	slices = informers.NewSharedInformerFactoryWithOptions(l.config.Client, 0, informers.WithTweakListOptions(func(options *metav1.ListOptions) {
		options.FieldSelector = fields.OneTermEqualSelector(resourceapi.ResourceSliceSelectorDriver, l.config.DriverName).String()
	}))
	l.nodes, l.slices = nodes.Core().V1().Nodes().Lister(), slices.Resource().V1().ResourceSlices().Lister()
	for _, informer := range []cache.SharedIndexInformer{nodes.Core().V1().Nodes().Informer(), slices.Resource().V1().ResourceSlices().Informer()} {
		if _, err := informer.AddEventHandler(l.onEvent()); err != nil {
			panic(err) // AddEventHandler fails only for a stopped informer.
		}
	}
	return nodes, slices
}

func (l *leader) onEvent() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { l.trigger() },
		UpdateFunc: func(any, any) { l.trigger() },
		DeleteFunc: func(any) { l.trigger() },
	}
}

// trigger triggers a round.
func (l *leader) trigger() {
	select {
	case l.wake <- struct{}{}:
	default: // A round is already pending.
	}
}

// check probes which form the API server supports. It returns the interval
// until the next probe.
func (l *leader) check(ctx context.Context) time.Duration {
	interval := cmp.Or(l.config.CheckInterval, time.Minute)
	form, reason, err := detect(ctx, l.config.Client.ResourceV1().ResourceSlices(), l.config.DriverName)
	if l.detectErr = err; err != nil {
		return min(interval, retryInterval)
	}
	l.form, l.unsupported = form, nil
	if form != publish.NoCounters {
		return interval
	}
	l.unsupported = fmt.Errorf("the API server drops counters or the node selection of each device, which DRAPartitionableDevices enables: %w", reason)
	l.mu.Lock()
	l.dryRunUnreliable = false
	l.mu.Unlock()
	return min(interval, retryInterval)
}

// round determines what should be published, publishes it if it has changed,
// and verifies that the API server has it.
func (l *leader) round(ctx context.Context) {
	text, err := l.tryRound(ctx)
	if ctx.Err() == nil {
		l.state.set(ctx, text, err)
	}
}

func (l *leader) tryRound(ctx context.Context) (string, error) {
	if l.detectErr != nil {
		return "", l.detectErr
	}
	nodes, err := l.nodes.List(labels.Everything())
	if err != nil {
		return "", fmt.Errorf("list nodes: %w", err)
	}
	stored, err := l.slices.List(labels.Everything())
	if err != nil {
		return "", fmt.Errorf("list ResourceSlices: %w", err)
	}
	text, layout, reason := l.wanted(nodes)
	if err := l.pool.write(ctx, layout, stored); err != nil {
		return "", err
	}
	if reason != nil {
		return "", fmt.Errorf("nothing is published: %w", reason)
	}
	return text, l.verify(stored)
}

// wanted returns the slices to publish. If nothing can be published, it returns
// the reason.
func (l *leader) wanted(nodes []*corev1.Node) (string, layout, error) {
	form, reason := l.form, l.unsupported
	l.mu.Lock()
	if l.dryRunUnreliable {
		form, reason = publish.NoCounters, errDropped
	}
	l.mu.Unlock()
	if reason != nil {
		return "", nil, reason
	}
	hosts, problems := l.config.hosts(l.noticed(nodes))
	pool := misdescribed(l.config.Topology.Pool(hosts), l.config.Topology, hosts)
	slices, err := pool.Slices(form)
	if err != nil {
		return "", nil, fmt.Errorf("topology %s with %s: %w", pool.Name, form, err)
	}
	found := fmt.Sprintf("%d of %d hosts, %d of %d devices available",
		len(hosts.Values), len(l.config.Topology.Hosts()), l.config.Topology.Available(hosts), len(pool.Devices))
	return strings.Join(append([]string{found}, problems...), "; "), slices, nil
}

// verify compares the stored slices with the published layout.
func (l *leader) verify(stored []*resourceapi.ResourceSlice) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.pool.layout.storedIn(l.pool.own(stored)):
		l.writeErr = nil
		return nil
	case l.writeErr != nil:
		return fmt.Errorf("the API server does not have the devices: %w", l.writeErr)
	default:
		return errors.New("the API server does not have the devices yet")
	}
}

// handleError handles write errors. The controller retries the write.
func (l *leader) handleError(ctx context.Context, err error, msg string) {
	if ctx.Err() != nil {
		return
	}
	_, dropped := errors.AsType[*resourceslice.DroppedFieldsError](err)
	l.mu.Lock()
	l.writeErr = fmt.Errorf("%s: %w", msg, err)
	l.dryRunUnreliable = l.dryRunUnreliable || dropped
	l.mu.Unlock()
	l.trigger()
}
