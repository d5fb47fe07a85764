package plugin

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/fakedriver/publish"
)

// publication is what a driver publishes, which changes on request.
type publication struct {
	ctx    context.Context // what is published lives in
	config Config
	driver string
	pool   *pool

	mu        sync.Mutex
	published control.Published
	// publisher publishes what is right; there is none for a pool with a
	// defect, which nobody must repair.
	publisher *publish.Publisher
	stop      func()
	// problem keeps something from being published that no publisher is
	// working on.
	problem error
}

func newPublication(ctx context.Context, config Config, driver string, pool *pool) *publication {
	return &publication{
		ctx: ctx, config: config, driver: driver, pool: pool, stop: func() {},
		problem: errors.New("it is not known what this driver publishes"),
	}
}

// change publishes something else. Only one call at a time is allowed.
func (p *publication) change(ctx context.Context, published control.Published, inventory *describe.Inventory) error {
	p.end()
	err := p.pool.declare(ctx, published.Affinity)
	if err == nil && published.Defect != "" {
		err = p.spoil(ctx, published.Defect, inventory)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.published, p.problem = published, err
	if err != nil || published.Defect != "" {
		return err
	}
	p.publisher = publish.NewPublisher(publish.Config{
		Driver:    p.driver,
		Node:      p.config.NodeName,
		Inventory: inventory,
		Client:    p.config.Client,
		Publish:   p.pool.publish,
	})
	p.stop = run(p.ctx, p.publisher.Run) //nolint:contextcheck // it outlives the call that starts it
	return nil
}

// run runs something until the function that it returns is called, which waits
// for the end.
func run(parent context.Context, do func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(parent)
	var part sync.WaitGroup
	part.Go(func() { do(ctx) })
	return func() {
		cancel()
		part.Wait()
	}
}

// end stops publishing. What is published stays.
func (p *publication) end() {
	p.mu.Lock()
	stop := p.stop
	p.publisher, p.stop = nil, func() {}
	p.mu.Unlock()
	stop()
}

// spoil publishes a pool with a defect. From then on nothing is published until
// the next change.
func (p *publication) spoil(ctx context.Context, defect control.Defect, inventory *describe.Inventory) error {
	p.pool.halt()
	node := p.config.NodeName
	form, err := publish.Detect(ctx, p.config.Client.ResourceV1().ResourceSlices(), p.driver, node, inventory)
	if err != nil {
		return err
	}
	objects, err := spoil(publish.Objects(p.driver, node, publish.Slices(inventory, form)), defect)
	if err != nil {
		return err
	}
	if err := p.pool.replace(ctx, objects); err != nil {
		if apierrors.IsInvalid(err) {
			return fmt.Errorf("%w: this API server takes no pool with the defect %s: %w", control.ErrInvalid, defect, err)
		}
		return err
	}
	return nil
}

// current returns what is to be published, and what keeps the API server from
// having it.
func (p *publication) current() (control.Published, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.publisher != nil {
		return p.published, p.publisher.Err()
	}
	return p.published, p.problem
}

// dropped tells the publisher that the API server dropped fields.
func (p *publication) dropped() {
	p.mu.Lock()
	publisher := p.publisher
	p.mu.Unlock()
	if publisher != nil {
		publisher.Dropped()
	}
}

// wait returns when the API server has what is to be published.
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
