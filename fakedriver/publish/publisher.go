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
)

// retryInterval is how soon a publisher looks again while the API server does
// not hold what it wants.
const retryInterval = 2 * time.Second

// Config says what a Publisher publishes and how.
type Config struct {
	// Driver is the name of the DRA driver.
	Driver string
	// Node is the name of the node, and that of its only pool.
	Node string
	// Inventory is what the node has.
	Inventory *describe.Inventory
	// Client reads ResourceSlices and tries them out.
	Client kubernetes.Interface
	// Publish writes ResourceSlices in the background, as
	// kubeletplugin.Helper.PublishResources does.
	Publish func(context.Context, resourceslice.DriverResources) error
	// CheckInterval is how soon the publisher looks again when all is well:
	// clusters get upgraded, and feature gates get changed, below a running
	// driver. The default is a minute.
	CheckInterval time.Duration
}

// Publisher publishes the devices of a node in the form that the API server
// takes, and again in another one when that changes.
type Publisher struct {
	config Config
	wake   chan struct{}

	// offer is what was published last, if published is set. Both belong to
	// the goroutine of Run.
	offer     Offer
	published bool

	mu       sync.Mutex
	withheld withheld
	err      error
}

// NewPublisher returns a publisher that does nothing before Run.
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

// Err returns nil while the API server holds exactly what the node has to
// offer.
func (p *Publisher) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Dropped tells the publisher that the API server dropped fields from what was
// published. It then offers nothing that depends on their feature, until a dry
// run has shown that the API server lacks it, and a later one that it has got it.
func (p *Publisher) Dropped(err *resourceslice.DroppedFieldsError) {
	p.mu.Lock()
	p.withheld.add(err)
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default: // It is going to look anyway.
	}
}

// round looks once what should be published, publishes it if that is something
// new, and looks whether the API server has it.
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
	if !p.published || p.offer != offer {
		p.explain(ctx, offer)
		resources := resourceslice.DriverResources{Pools: map[string]resourceslice.Pool{
			p.config.Node: {Slices: offer.Slices(p.config.Inventory)},
		}}
		if err := p.config.Publish(ctx, resources); err != nil {
			return fmt.Errorf("publish devices: %w", err)
		}
		p.offer, p.published = offer, true
	}
	return p.verify(ctx)
}

func (p *Publisher) wanted(ctx context.Context) (Offer, error) {
	promised, err := Detect(ctx, p.config.Client.ResourceV1().ResourceSlices(), p.config.Driver, p.config.Node, p.config.Inventory)
	if err != nil {
		return Offer{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.withheld.reduce(promised), nil
}

// explain logs what an offer lacks, and why.
func (p *Publisher) explain(ctx context.Context, offer Offer) {
	logger := klog.FromContext(ctx)
	if offer.Form == NoCounters {
		logger.Info("The API server drops counters, DRAPartitionableDevices seems to be disabled: partitions are not offered, only entire devices")
	}
	if offer.WithoutShared {
		logger.Info("The API server drops that claims may share devices, DRAConsumableCapacity seems to be disabled: these devices are not offered",
			"devices", p.config.Inventory.Shared())
	}
}

// verify compares what the API server holds with what was published.
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
	// The controller's names begin with the index of the slice.
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
