// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/draconform/draconform/e2e/suite/operations"
)

// ScaleController changes the number of instances of the driver's controller.
func (w *Workers) ScaleController(ctx context.Context, instances int) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("changing the number of controllers of the driver to %d", instances))
	gomega.Expect(w.driver.Scale(ctx, instances)).To(gomega.Succeed())
}

// KillController ends the process of the controller that works, without time to clean up,
// and waits until another one does.
func (w *Workers) KillController(ctx context.Context) {
	ginkgo.GinkgoHelper()
	ginkgo.By("killing the controller of the driver")
	before, err := w.driver.Leader(ctx)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(w.driver.Kill(ctx)).To(gomega.Succeed())
	gomega.Eventually(ctx, func(ctx context.Context) error {
		now, err := w.driver.Leader(ctx)
		if err == nil && now == before {
			err = errors.New("no other process has taken over")
		}
		return err
	}).WithTimeout(w.env.Timeouts.Recovery).Should(gomega.Succeed(), "the controller of the driver should work again")
}

// InjectFault injects a fault into the next calls of the controller, once, although the
// request is repeated if its answer is lost.
func (w *Workers) InjectFault(ctx context.Context, fault operations.Fault) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("injecting fault %s into %s of the driver's controller", fault.Action, fault.Method))
	fault.ID = string(uuid.NewUUID())
	gomega.Expect(w.retry(ctx, func(ctx context.Context) error { return w.driver.Inject(ctx, fault) })).To(gomega.Succeed())
}

// WaitForFault waits until a call of the controller has had an injected fault.
func (w *Workers) WaitForFault(ctx context.Context, method string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("waiting until the fault happens in " + method)
	gomega.Eventually(ctx, func(ctx context.Context) error {
		calls, err := w.driver.Calls(ctx)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(calls, func(c operations.Call) bool { return c.Method == method && c.Fault != "" }) {
			return fmt.Errorf("none of %d calls is one of %s with a fault", len(calls), method)
		}
		return nil
	}).WithTimeout(w.env.Timeouts.PodStart).Should(gomega.Succeed(), "the driver should be called")
}

// WaitForFailureEvent waits until an event of a PodSchedulingContext or of a claim has the
// message of a failure of the driver.
func (w *Workers) WaitForFailureEvent(ctx context.Context, message string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("waiting for an event about the failure")
	gomega.Eventually(ctx, func(ctx context.Context) error {
		events, err := w.env.Client.CoreV1().Events(w.env.Namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, event := range events.Items {
			about := []string{"PodSchedulingContext", "ResourceClaim"}
			if slices.Contains(about, event.InvolvedObject.Kind) && strings.Contains(event.Message, message) {
				return nil
			}
		}
		return fmt.Errorf("none of %d events is one of a PodSchedulingContext or claim with %q", len(events.Items), message)
	}).WithTimeout(w.env.Timeouts.PodStart).Should(gomega.Succeed(), "the driver should report that an allocation failed")
}
