// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

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

// settleTimeout limits how long publish waits for the API server. Later checks
// of the publisher are infrequent.
const settleTimeout = 2 * time.Second

// syncDelay is the delay between the last change of a ResourceSlice and its
// comparison with the wanted state. A kubelet that starts deletes all
// ResourceSlices of its node, and claims cannot be allocated devices of the
// node until the slices exist again. The library's default of 30 seconds is
// meant to save requests.
const syncDelay = time.Second

// pool writes the ResourceSlices of one driver on its node. It uses the
// library's controller where possible. The controller takes a second before it
// writes the first slice, does not set annotations and rejects invalid pools,
// so pool does these things itself.
type pool struct {
	ctx          context.Context // context of the controller
	driver, node string
	client       kubernetes.Interface
	handleError  func(ctx context.Context, err error, msg string)
	annotations  annotations

	mu         sync.Mutex
	wanted     *resourceslice.DriverResources
	controller *resourceslice.Controller
	// cancel is set while the controller is running or starting.
	cancel context.CancelFunc
	parts  sync.WaitGroup
}

func newPool(ctx context.Context, config Config, driver string) *pool {
	return &pool{ctx: ctx, driver: driver, node: config.NodeName, client: config.Client}
}

// publish writes the wanted ResourceSlices, as
// kubeletplugin.Helper.PublishResources does. It waits until the API server has
// them, for at most settleTimeout.
func (p *pool) publish(ctx context.Context, resources resourceslice.DriverResources) error {
	wanted := publish.NodeObjects(p.driver, p.node, resources.Pools[publish.PoolName(p.node)].Slices)
	stored, err := p.list(ctx)
	if err != nil {
		return err
	}
	if len(stored) == 0 {
		if err := p.create(ctx, wanted, firstGeneration()); err != nil {
			return err
		}
	} else if err := p.differAtStart(ctx, wanted, stored); err != nil {
		return err
	}
	if fault.DoesNotRepublish {
		return nil
	}
	p.handOver(resources) //nolint:contextcheck // the controller outlives this call
	err = wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, settleTimeout, true, func(ctx context.Context) (bool, error) {
		stored, err := p.list(ctx)
		return err == nil && equal(stored, wanted), err
	})
	if err != nil && !wait.Interrupted(err) {
		return err
	}
	return nil // The publisher verifies the result later.
}

// equal compares slices. It ignores the value of the pool generation.
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

// handOver passes new resources to the controller. It starts the controller if it
// is not running.
func (p *pool) handOver(resources resourceslice.DriverResources) {
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

// startController starts the controller. It returns when the caches of the
// controller are synced.
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

// halt stops the controller. The ResourceSlices are kept.
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

// declare sets the affinity declarations of shared devices. It updates the
// existing slices, and later slices are created with the declarations.
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

// list returns the slices of the driver on the node, sorted by index.
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

// remove deletes the slices of the driver on the node.
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
