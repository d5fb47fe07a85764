// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/dynamic-resource-allocation/resourceslice"
	"k8s.io/klog/v2"

	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/internal/variant"
)

// retryInterval is the interval between rounds while the API server does not
// have what should be published.
const retryInterval = 2 * time.Second

// Config configures a Publisher.
type Config struct {
	// Driver is the name of the DRA driver.
	Driver string
	// Node is the name of the node and of its only pool.
	Node string
	// Inventory contains the devices of the node.
	Inventory *describe.Inventory
	// Client reads ResourceSlices and probes the API server with dry-run
	// requests.
	Client kubernetes.Interface
	// Publish writes ResourceSlices in the background, as
	// kubeletplugin.Helper.PublishResources does.
	Publish func(context.Context, resourceslice.DriverResources) error
	// CheckInterval is the interval between rounds while the API server has
	// what should be published. Upgrades of the cluster and changes of feature
	// gates may change the supported form while the driver runs. The default is
	// one minute.
	CheckInterval time.Duration
}

// Publisher publishes the devices of a node in the form that the API server
// supports. When the supported form changes, it publishes the devices again.
type Publisher struct {
	config Config
	wake   chan struct{}

	// offer is what was published last. It is valid if published is set. Both
	// fields are used only by the goroutine of Run.
	offer     Offer
	published bool
	// generation is the lowest generation of the pool. It is 0 unless a variant of
	// the driver publishes the same devices again and again.
	generation int64

	mu       sync.Mutex
	withheld withheld
	err      error
}

// NewPublisher returns a publisher. It does nothing until Run is called.
func NewPublisher(config Config) *Publisher {
	return &Publisher{
		config: config,
		wake:   make(chan struct{}, 1),
		err:    errors.New("nothing was published yet"),
	}
}

// Run publishes until the context is done.
func (p *Publisher) Run(ctx context.Context) {
	for {
		interval := cmp.Or(p.config.CheckInterval, time.Minute)
		if variant.RepublishesOften {
			interval = 3 * time.Second
		}
		if err := p.round(ctx); err != nil {
			interval = min(interval, retryInterval)
		}
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		case <-time.After(interval):
		}
	}
}

// Err returns nil while the API server has exactly the devices that can be
// published. Otherwise it returns the reason.
func (p *Publisher) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Dropped notifies the publisher that the API server dropped fields of
// published slices. The publisher then omits everything that depends on their
// feature. It publishes it again after one dry run has shown that the API
// server lacks the feature and a later dry run has shown that the API server
// supports it.
func (p *Publisher) Dropped(err *resourceslice.DroppedFieldsError) {
	p.mu.Lock()
	p.withheld.add(err)
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default: // A round is already pending.
	}
}

// round determines what should be published, publishes it if it has changed,
// and verifies that the API server has it.
func (p *Publisher) round(ctx context.Context) error {
	err := p.tryRound(ctx)
	if ctx.Err() != nil {
		return err
	}
	p.mu.Lock()
	before := p.err
	p.err = err
	p.mu.Unlock()
	logger := klog.FromContext(ctx)
	switch {
	case err == nil && before != nil:
		logger.Info("Published devices", "form", p.offer.String())
	case err != nil && (before == nil || before.Error() != err.Error()):
		logger.Info("Devices are not published yet", "reason", err)
	}
	return err
}

func (p *Publisher) tryRound(ctx context.Context) error {
	offer, err := p.wanted(ctx)
	if err != nil {
		return err
	}
	if variant.RepublishesOften {
		p.generation++
	}
	if !p.published || p.offer != offer || variant.RepublishesOften {
		p.explain(ctx, offer)
		resources := resourceslice.DriverResources{Pools: map[string]resourceslice.Pool{
			PoolName(p.config.Node): {Generation: p.generation, Slices: offer.Slices(p.config.Inventory)},
		}}
		if err := p.config.Publish(ctx, resources); err != nil {
			return fmt.Errorf("publish devices: %w", err)
		}
		p.offer, p.published = offer, true
	}
	return p.verify(ctx)
}

func (p *Publisher) wanted(ctx context.Context) (Offer, error) {
	detected, err := Detect(ctx, p.config.Client.ResourceV1().ResourceSlices(), p.config.Driver, p.config.Node, p.config.Inventory)
	if err != nil {
		return Offer{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.withheld.reduce(detected), nil
}

// explain logs what an offer omits, and why.
func (p *Publisher) explain(ctx context.Context, offer Offer) {
	logger := klog.FromContext(ctx)
	if offer.Form == NoCounters {
		logger.Info("The API server drops counters, DRAPartitionableDevices seems to be disabled: only entire devices are published, no partitions")
	}
	if offer.WithoutShared {
		logger.Info("The API server drops allowMultipleAllocations, DRAConsumableCapacity seems to be disabled: shared devices are not published",
			"devices", p.config.Inventory.Shared())
	}
}

// verify compares the stored slices with what was published.
func (p *Publisher) verify(ctx context.Context) error {
	list, err := p.config.Client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{
		FieldSelector: fields.Set{
			resourceapi.ResourceSliceSelectorDriver:   p.config.Driver,
			resourceapi.ResourceSliceSelectorNodeName: p.config.Node,
		}.String(),
	})
	if err != nil {
		return fmt.Errorf("verify published devices: %w", err)
	}
	stored := list.Items
	// The names that the controller generates start with the index of the
	// slice.
	slices.SortFunc(stored, func(a, b resourceapi.ResourceSlice) int { return cmp.Compare(a.Name, b.Name) })
	wanted := NodeObjects(p.config.Driver, p.config.Node, p.offer.Slices(p.config.Inventory))
	if len(stored) != len(wanted) {
		return fmt.Errorf("the API server has %d of %d ResourceSlices", len(stored), len(wanted))
	}
	for i, want := range wanted {
		want.Spec.Pool.Generation = stored[0].Spec.Pool.Generation
		if !apiequality.Semantic.DeepEqual(stored[i].Spec, want.Spec) {
			return fmt.Errorf("ResourceSlice %s is not up to date", stored[i].Name)
		}
	}
	return nil
}
