// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package specs_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fakediscovery "k8s.io/client-go/discovery/fake"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/access"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/guest"
)

// guests are runs of all specs among other workloads, with drivers of which only
// a driver file is known.
var guests = map[string]suiterun.Case{
	inOwnNamespace: {
		Guest: &guest.Config{Namespace: "draconform-own"}, Change: allSpecs("default"), Cluster: withNamespace("default"),
	},
	inGivenNamespace: {
		Guest: &guest.Config{Namespace: "team", Given: true}, Change: allSpecs("team"), Cluster: withNamespace("team"),
	},
	withDevices(1):      fewDevices(1),
	withDevices(2):      fewDevices(2),
	withDevices(3):      fewDevices(3),
	smokeOfAVendor:      smokeCase,
	withoutCapabilities: withoutCapabilitiesCase,
}

// withNamespace returns the options of a cluster with all drivers and an
// existing namespace.
func withNamespace(name string) fakecluster.Options {
	return fakecluster.Options{Nodes: 4, GPUs: 2, TPU: "tpu.example.com", NIC: "nic.example.com", Objects: []runtime.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default", Namespace: name}},
	}}
}

const (
	inOwnNamespace   = "a guest in a namespace of its own"
	inGivenNamespace = "a guest in a given namespace"
)

// withDevices is the name of a run with so many devices on each node.
func withDevices(n int) string { return fmt.Sprintf("a guest with %d devices on each node", n) }

// fewDevices returns a run of all specs about devices on nodes that have few of them.
func fewDevices(n int) suiterun.Case {
	return suiterun.Case{
		Guest: &guest.Config{Namespace: "draconform-own"}, Cluster: fakecluster.Options{Nodes: 2, GPUs: n, WithoutPartitions: true, NIC: "nic.example.com"},
		Change: func(ctx context.Context, c *suite.Options) context.Context {
			c.Specs = slices.DeleteFunc(specs.All(), func(s suite.Spec) bool {
				return s.Component == env.Cluster || len(s.Kinds) == 0 || s.Profile == "classic" || needsSimulatedNodes(s)
			})
			c.Timeouts.PodStart = 5 * time.Second // Specs wait for devices that there are not.
			return ctx
		},
	}
}

// A spec states how many devices it needs at the same time, so that it fails for no driver
// that has fewer.
func TestSpecsNeedTheDevicesThatTheyState(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 3; n++ {
		t.Run(withDevices(n), func(t *testing.T) {
			t.Parallel()
			g := NewWithT(t)
			outcome := suiterun.Run(t, withDevices(n))
			g.Expect(outcome.Err).To(BeEmpty())
			passed := 0
			for _, r := range outcome.Results {
				if r.Outcome == suite.Passed {
					passed++
				} else if r.Outcome != suite.NotApplicable && r.Outcome != suite.NotSupported {
					t.Errorf("%s is %s with %d devices on each node: %s", r.ID, r.Outcome, n, r.Reason)
				}
			}
			g.Expect(passed).To(BeNumerically(">=", 20), "specs that one device is enough for")
		})
	}
}

// allSpecs selects the specs that a fake cluster can pass: the fake API server
// performs almost no validation. Before the specs, the features of the cluster
// are detected as a run does, with dry runs in a namespace.
func allSpecs(namespace string) func(context.Context, *suite.Options) context.Context {
	return func(ctx context.Context, c *suite.Options) context.Context {
		c.Specs = slices.DeleteFunc(specs.All(), func(s suite.Spec) bool {
			return s.Component == env.Cluster && s.ID != "prioritized-list-needs-quota-for-each" || slices.Contains(s.Needs, env.NeedsNodeAgent)
		})
		c.Client.Discovery().(*fakediscovery.FakeDiscovery).Resources = []*metav1.APIResourceList{{GroupVersion: resourceapi.SchemeGroupVersion.String()}}
		if _, err := features.Detect(ctx, c.Client, features.Known{Namespace: namespace}, nil); err != nil {
			panic(err)
		}
		return ctx
	}
}

// elsewhere are rights that are not used in these clusters, whose kubelets are
// fast, do not fail and have no metrics.
var elsewhere = map[string]bool{
	// Specs that need the metric of claims in use create claims from templates.
	"get nodes/proxy": true, "create resourceclaimtemplates": true, "get resourceclaimtemplates": true, "delete resourceclaimtemplates": true,
	// A kubelet that does not retry soon is made to sync a pod by a patch.
	"patch pods": true,
	// Events are in the message about a pod that does not run.
	"list events": true,
}

// multiHostDriver returns the only driver of the guests whose file asks for a right.
func multiHostDriver(t *testing.T) []*driverfile.Driver {
	t.Helper()
	content, err := subject.FakeFile("tpu")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	drivers, err := driverfile.Decode("", content)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return drivers
}

// A right that no spec uses is one too many, and one that is missing fails runs
// with only the rights of the role.
func TestGuestUsesItsRightsAndNoOthers(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]access.Run{
		inOwnNamespace: {Drivers: multiHostDriver(t)}, inGivenNamespace: {Namespace: "team", Drivers: multiHostDriver(t)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := NewWithT(t)
			outcome := suiterun.Run(t, name)
			g.Expect(outcome.Err).To(BeEmpty())
			passed := 0
			for _, r := range outcome.Results {
				g.Expect(r.Outcome).To(BeElementOf(suite.Passed, suite.NotApplicable, suite.NotSupported), "%s: %s", r.ID, r.Reason)
				if r.Outcome == suite.Passed {
					passed++
				}
			}
			g.Expect(passed).To(BeNumerically(">=", 20), "specs that a driver file is enough for")
			g.Expect(outcome.Left).To(BeEmpty())
			missing, unused := access.Compare(run.Rights(), outcome.Requests)
			g.Expect(missing).To(BeEmpty(), "every request needs a right")
			unused = slices.DeleteFunc(unused, func(r access.Right) bool { return r.URL == "/metrics" || elsewhere[r.Verb+" "+r.Resource] })
			g.Expect(unused).To(BeEmpty(), "every right should be needed")
		})
	}
}
