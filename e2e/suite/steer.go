package suite

import (
	"context"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/fakedriver/control"
)

// answerTimeout bounds one look at a driver's pod. The pod may have been at an
// address that leads nowhere by now, which only waiting tells.
const answerTimeout = 5 * time.Second

// ask makes one request to a driver's pod on a node.
func (e *Env) ask(ctx context.Context, timeout time.Duration, driver, node string, request func(context.Context, Driver) error) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	pod, err := e.drivers.Control(ctx, driver, node)
	if err != nil {
		return err
	}
	return request(ctx, pod)
}

// answers makes a request until it is answered. Requests go through the API server
// and a node's network: one that gets lost on the way is nobody's fault.
func (e *Env) answers(ctx context.Context, driver, node string, request func(context.Context) error) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, request).WithTimeout(e.Timeouts.Recover).Should(gomega.Succeed(), "driver %s on node %s should answer", driver, node)
}

// steer has a driver's pod do something, which may take longer than a look.
func (e *Env) steer(ctx context.Context, driver, node string, request func(context.Context, Driver) error) {
	ginkgo.GinkgoHelper()
	e.answers(ctx, driver, node, func(ctx context.Context) error {
		return e.ask(ctx, e.Timeouts.Refuse, driver, node, request)
	})
}

// driverStatus looks at a driver on a node once.
func (e *Env) driverStatus(ctx context.Context, driver, node string) (status control.Status, err error) {
	err = e.ask(ctx, answerTimeout, driver, node, func(ctx context.Context, pod Driver) (err error) {
		status, err = pod.Status(ctx, driver)
		return err
	})
	return status, err
}

// statusOf is the status of a driver that is there.
func (e *Env) statusOf(ctx context.Context, driver, node string) (status control.Status) {
	ginkgo.GinkgoHelper()
	e.answers(ctx, driver, node, func(ctx context.Context) (err error) {
		status, err = e.driverStatus(ctx, driver, node)
		return err
	})
	return status
}
