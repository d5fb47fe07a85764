package plugin

import (
	"context"
	"fmt"
	"sync"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	resourceclient "k8s.io/client-go/kubernetes/typed/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceslice"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/fakedriver/publish"
	"github.com/draconform/draconform/internal/fault"
)

// settleTimeout is how long publishing waits for the API server, because
// whoever looks later does so seldom.
const settleTimeout = 2 * time.Second

// syncDelay is how long after the last change of slices they are compared with
// what they should be. A kubelet that starts removes all slices of its node, and
// until they are back no claim gets a device of it; the library's own 30 seconds
// are for saving requests.
const syncDelay = time.Second

// pool writes the ResourceSlices of one driver on its node. It leaves that to
// the library's controller, except for what that would not do: it takes a second
// before it writes the first slice, sets no annotations, and refuses pools that
// are invalid.
type pool struct {
	ctx          context.Context // that of the controller
	driver, node string
	client       kubernetes.Interface
	handleError  func(ctx context.Context, err error, msg string)
	annotations  annotations

	mu         sync.Mutex
	wanted     *resourceslice.DriverResources
	controller *resourceslice.Controller
	// cancel is set while the controller runs or is being started.
	cancel context.CancelFunc
	parts  sync.WaitGroup
}

func newPool(ctx context.Context, config Config, driver string) *pool {
	return &pool{ctx: ctx, driver: driver, node: config.NodeName, client: config.Client}
}

// publish lets the API server have what the driver wants, as
// kubeletplugin.Helper.PublishResources does, and waits for that as long as it
// usually takes.
func (p *pool) publish(ctx context.Context, resources resourceslice.DriverResources) error {
	wanted := publish.NodeObjects(p.driver, p.node, resources.Pools[p.node].Slices)
	stored, err := p.list(ctx)
	if err != nil {
		return err
	}
	if len(stored) == 0 {
		if err := p.create(ctx, wanted, 0); err != nil {
			return err
		}
	}
	if fault.DoesNotRepublish {
		return nil
	}
	p.hand(resources) //nolint:contextcheck // what follows outlives this call
	err = wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, settleTimeout, true, func(ctx context.Context) (bool, error) {
		stored, err := p.list(ctx)
		return err == nil && equal(stored, wanted), err
	})
	if err != nil && !wait.Interrupted(err) {
		return err
	}
	return nil // Whoever asked is going to look again.
}

// equal compares slices without looking at the generation of the pool.
func equal(stored []resourceapi.ResourceSlice, wanted []*resourceapi.ResourceSlice) bool {
	if len(stored) != len(wanted) {
		return false
	}
	for i := range wanted {
		if stored[i].Spec.Pool.Generation != stored[0].Spec.Pool.Generation ||
			stored[i].Spec.Pool.ResourceSliceCount != int64(len(wanted)) ||
			!resourceslice.DevicesDeepEqual(stored[i].Spec.Devices, wanted[i].Spec.Devices) ||
			!apiequality.Semantic.DeepEqual(stored[i].Spec.SharedCounters, wanted[i].Spec.SharedCounters) {
			return false
		}
	}
	return true
}

// hand gives the controller something new to publish, and starts it if it does
// not run.
func (p *pool) hand(resources resourceslice.DriverResources) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wanted = &resources
	if p.controller != nil {
		p.controller.Update(p.wanted)
		return
	}
	if p.cancel == nil {
		ctx, cancel := context.WithCancel(p.ctx)
		p.cancel = cancel
		p.parts.Go(func() { p.startController(ctx) })
	}
}

// startController returns when the controller has seen what there is.
func (p *pool) startController(ctx context.Context) {
	p.mu.Lock()
	options := resourceslice.Options{
		DriverName:   p.driver,
		KubeClient:   p.annotations.wrap(p.client),
		Owner:        &resourceslice.Owner{APIVersion: "v1", Kind: "Node", Name: p.node},
		Resources:    p.wanted,
		SyncDelay:    ptr.To(syncDelay),
		ErrorHandler: func(ctx context.Context, err error, msg string) { p.handleError(ctx, recoverable{err}, msg) },
	}
	p.mu.Unlock()
	controller, err := resourceslice.StartController(ctx, options)
	if err != nil {
		if ctx.Err() == nil {
			p.handleError(ctx, err, "start ResourceSlice controller")
		}
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.controller = controller
	controller.Update(p.wanted)
}

// halt stops the controller. What is published stays.
func (p *pool) halt() {
	p.mu.Lock()
	if p.cancel != nil {
		p.cancel()
	}
	p.mu.Unlock()
	p.parts.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.controller.Stop()
	p.controller, p.cancel = nil, nil
}

// declare changes what the slices say about claims that share a device, at once
// and for all to come.
func (p *pool) declare(ctx context.Context, declared map[string]affinity.Declaration) error {
	p.annotations.set(declared)
	stored, err := p.list(ctx)
	if err != nil {
		return err
	}
	for _, slice := range stored {
		changed, err := p.annotations.annotate(&slice)
		if err != nil {
			return err
		}
		if !changed {
			continue
		}
		if _, err := p.slices().Update(ctx, &slice, metav1.UpdateOptions{}); err != nil {
			return fmt.Errorf("annotate ResourceSlice %s: %w", slice.Name, err)
		}
	}
	return nil
}

func (p *pool) slices() resourceclient.ResourceSliceInterface {
	return p.client.ResourceV1().ResourceSlices()
}

// list returns the slices of the driver on the node, in their order.
func (p *pool) list(ctx context.Context) ([]resourceapi.ResourceSlice, error) {
	list, err := p.slices().List(ctx, metav1.ListOptions{FieldSelector: fields.Set{
		resourceapi.ResourceSliceSelectorDriver:   p.driver,
		resourceapi.ResourceSliceSelectorNodeName: p.node,
	}.String()})
	if err != nil {
		return nil, fmt.Errorf("list ResourceSlices of driver %s: %w", p.driver, err)
	}
	byIndex(list.Items)
	return list.Items, nil
}

// remove removes the slices of the driver on the node.
func (p *pool) remove(ctx context.Context) error {
	stored, err := p.list(ctx)
	if err != nil {
		return err
	}
	return p.delete(ctx, stored)
}

func (p *pool) delete(ctx context.Context, stored []resourceapi.ResourceSlice) error {
	for _, slice := range stored {
		if err := p.slices().Delete(ctx, slice.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("remove ResourceSlice %s: %w", slice.Name, err)
		}
	}
	return nil
}
