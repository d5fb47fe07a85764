package suite

import (
	"context"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/fakedriver/control"
)

// answerTimeout is the timeout of one request to a driver's pod. The address of
// the pod may be outdated, and then the request gets no answer.
const answerTimeout = 5 * time.Second

// ask sends one request to a driver's pod on a node.
func (e *Env) ask(ctx context.Context, timeout time.Duration, driver, node string, request func(context.Context, Driver) error) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	pod, err := e.Drivers.Control(ctx, driver, node)
	if err != nil {
		return err
	}
	return request(ctx, pod)
}

// answers repeats a request until it succeeds. A request through the API server
// and the network of a node may get lost, which is no failure of the driver.
func (e *Env) answers(ctx context.Context, driver, node string, request func(context.Context) error) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, request).WithTimeout(e.Timeouts.Recover).Should(gomega.Succeed(), "driver %s on node %s should answer", driver, node)
}

// steer sends a request that changes the state of a driver's pod. Its timeout
// is longer than answerTimeout.
func (e *Env) steer(ctx context.Context, driver, node string, request func(context.Context, Driver) error) {
	ginkgo.GinkgoHelper()
	e.answers(ctx, driver, node, func(ctx context.Context) error {
		return e.ask(ctx, e.Timeouts.Refuse, driver, node, request)
	})
}

// driverStatus returns the status of a driver on a node, without retries.
func (e *Env) driverStatus(ctx context.Context, driver, node string) (status control.Status, err error) {
	err = e.ask(ctx, answerTimeout, driver, node, func(ctx context.Context, pod Driver) (err error) {
		status, err = pod.Status(ctx, driver)
		return err
	})
	return status, err
}

// statusOf returns the status of a running driver, with retries.
func (e *Env) statusOf(ctx context.Context, driver, node string) (status control.Status) {
	ginkgo.GinkgoHelper()
	e.answers(ctx, driver, node, func(ctx context.Context) (err error) {
		status, err = e.driverStatus(ctx, driver, node)
		return err
	})
	return status
}
