// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// retryCases has the runs in which the suite or the kubelet tries something again.
var retryCases = map[string]suiterun.Case{
	"lost answers": {Cluster: fakecluster.Options{LosesAnswers: true}, Change: func(ctx context.Context, c *suite.Options) context.Context {
		c.Specs = []suite.Spec{spec("injects", "p", injects)}
		return ctx
	}},
	"late restarts": {Cluster: fakecluster.Options{BacksOff: true}, Change: func(ctx context.Context, c *suite.Options) context.Context {
		c.Specs, c.Timeouts.PodStart, c.SpecTimeout = []suite.Spec{spec("restarts", "p", restarts)}, 3*time.Second, 10*time.Minute
		return ctx
	}},
}

// A request for a fault is repeated if its answer is lost. The fault must not happen twice.
func TestFaultsAreInjectedOnce(t *testing.T) {
	got := suiterun.Run(t, "lost answers").Of("injects")
	NewWithT(t).Expect(got.Outcome).To(Equal(suite.Passed), got.Reason)
}

// injects lets the driver fail once for each of two claims, by equal faults.
func injects(ctx context.Context, e *env.Env) {
	driver, node := e.Subject.Drivers()[0], "node-1"
	for _, name := range []string{"one", "two"} {
		drivers.InjectFault(ctx, e, driver, node, operations.Fault{Method: operations.Prepare, Action: operations.Fail, Count: 1, Message: "fault of the test"})
		pods.CreateWithRequests(ctx, e, name, []devices.Request{{Name: "partition", Device: e.Subject.Partitions.Small}})
		pods.WaitForRunning(ctx, e, name)
		got := drivers.GetCalls(ctx, e, driver, node, operations.Prepare, name)
		Expect(got).To(HaveExactElements(HaveField("Error", "fault of the test"), HaveField("Error", "")))
	}
}

// The kubelet waits longer and longer before it restarts a container.
func TestRestartsThatTakeLong(t *testing.T) {
	got := suiterun.Run(t, "late restarts").Of("restarts")
	NewWithT(t).Expect(got.Outcome).To(Equal(suite.Passed), got.Reason)
}

// restarts waits for several restarts of a container that exits each time.
func restarts(ctx context.Context, e *env.Env) {
	options := pods.Options{Restarts: true, Change: func(pod *corev1.PodSpec) {
		pod.Containers[0] = pods.CompletingContainer(pods.MainContainer, pod.Containers[0])
	}}
	pod := pods.CreateSharingClaim(ctx, e, "pod", e.Subject.Partitions.Small, 1, options)[0]
	for n := range int32(4) {
		pods.WaitForContainerRestarted(ctx, e, pod, n+1)
		Expect(pods.GetRestartCount(ctx, e, pod)).To(Equal(n + 1))
	}
}
