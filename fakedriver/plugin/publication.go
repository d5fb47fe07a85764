// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/dynamic-resource-allocation/resourceslice"

	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/fakedriver/publish"
)

// publication manages what a driver publishes. The content changes on request.
type publication struct {
	ctx    context.Context // parent context of the publisher
	config Config
	driver string
	pool   *pool

	mu        sync.Mutex
	published control.Published
	// rules are the affinity rules of shared devices.
	rules map[string]affinity.Rule
	// publisher publishes valid pools. It is nil for a pool with a defect,
	// because a publisher would repair the defect.
	publisher *publish.Publisher
	stop      func()
	// problem is the error that prevents publishing. It is used only while
	// there is no publisher.
	problem error
}

func newPublication(ctx context.Context, config Config, driver string, pool *pool) *publication {
	return &publication{
		ctx: ctx, config: config, driver: driver, pool: pool, stop: func() {},
		problem: errors.New("the content of this driver is not known"),
	}
}

// change replaces what is published. Calls must not be concurrent.
func (p *publication) change(ctx context.Context, published control.Published, compiled *content) error {
	p.end()
	published = p.leaving(published)
	err := p.prepare(ctx, published, compiled)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.published, p.rules, p.problem = published, compiled.rules, err
	if err != nil || published.Defect != "" {
		return err
	}
	p.publisher = p.newPublisher(compiled)
	p.stop = run(p.ctx, p.publisher.Run) //nolint:contextcheck // it outlives the call that starts it
	return nil
}

// retryInterval is the interval between attempts of resume.
const retryInterval = 500 * time.Millisecond

// resume retries a change that failed until it succeeds or until something else
// is published. The API server may be unreachable when a node starts.
func (p *publication) resume(published control.Published, compiled *content) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stop = run(p.ctx, func(ctx context.Context) {
		err := wait.PollUntilContextCancel(ctx, retryInterval, false, func(ctx context.Context) (bool, error) {
			err := p.prepare(ctx, published, compiled)
			p.mu.Lock()
			defer p.mu.Unlock()
			p.problem = err
			return err == nil, nil
		})
		if err != nil || published.Defect != "" {
			return
		}
		publisher := p.newPublisher(compiled)
		p.mu.Lock()
		p.publisher = publisher
		p.mu.Unlock()
		publisher.Run(ctx)
	})
}

// prepare does what is necessary before a publisher starts. For a pool with a
// defect it publishes the pool itself, because no publisher may repair it.
func (p *publication) prepare(ctx context.Context, published control.Published, compiled *content) error {
	if err := p.pool.declare(ctx, compiled.inventory.Affinity); err != nil {
		return err
	}
	if published.Defect == "" {
		return nil
	}
	return p.publishDefect(ctx, published.Defect, compiled.inventory)
}

func (p *publication) newPublisher(compiled *content) *publish.Publisher {
	return publish.NewPublisher(publish.Config{
		Driver:    p.driver,
		Node:      p.config.NodeName,
		Inventory: overstated(compiled.inventory),
		Client:    p.config.Client,
		Publish:   p.pool.publish,
	})
}

// run calls do in a goroutine. The returned function cancels its context and
// waits until it returns.
func run(parent context.Context, do func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(parent)
	var part sync.WaitGroup
	part.Go(func() { do(ctx) })
	return func() {
		cancel()
		part.Wait()
	}
}

// end stops publishing. The ResourceSlices are kept.
func (p *publication) end() {
	p.mu.Lock()
	stop := p.stop
	p.stop = func() {}
	p.mu.Unlock()
	stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.publisher = nil
}

// publishDefect publishes a pool with a defect. Nothing else is published until the
// next change.
func (p *publication) publishDefect(ctx context.Context, defect control.Defect, inventory *describe.Inventory) error {
	p.pool.halt()
	node := p.config.NodeName
	offer, err := publish.Detect(ctx, p.config.Client.ResourceV1().ResourceSlices(), p.driver, node, inventory)
	if err != nil {
		return err
	}
	objects, err := addDefect(publish.NodeObjects(p.driver, node, offer.Slices(inventory)), defect)
	if err != nil {
		return err
	}
	if err := p.pool.replace(ctx, objects); err != nil {
		if apierrors.IsInvalid(err) {
			return fmt.Errorf("%w: this API server rejects a pool with the defect %s: %w", control.ErrInvalid, defect, err)
		}
		return err
	}
	return nil
}

// current returns what is to be published, and an error while the API server
// does not have it.
func (p *publication) current() (control.Published, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.publisher != nil {
		return p.published, p.publisher.Err()
	}
	return p.published, p.problem
}

// demanded returns the affinity rules of shared devices.
func (p *publication) demanded() map[string]affinity.Rule {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.rules)
}

// dropped notifies the publisher that the API server dropped fields.
func (p *publication) dropped(err *resourceslice.DroppedFieldsError) {
	p.mu.Lock()
	publisher := p.publisher
	p.mu.Unlock()
	if publisher != nil {
		publisher.Dropped(err)
	}
}

// wait returns nil when the API server has what is to be published. If the
// context ends first, the error wraps control.ErrPending.
func (p *publication) wait(ctx context.Context) error {
	err := wait.PollUntilContextCancel(ctx, 10*time.Millisecond, true, func(context.Context) (bool, error) {
		_, pending := p.current()
		return pending == nil, nil
	})
	if err != nil {
		_, pending := p.current()
		return fmt.Errorf("%w: driver %s: %w", control.ErrPending, p.driver, pending)
	}
	return nil
}
