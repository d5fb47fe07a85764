// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// createClasses creates two DeviceClasses for the same extended resource, one
// after the other. The devices of a class are those whose name begins with that of
// the class. The classes are created again until the order of their creation
// timestamps, which have no fractions of seconds, is the wanted one: the result of
// comparing the first with the second. The spec does not apply to a cluster in which
// that does not happen, such as one whose API server takes a second for each request.
func createClasses(ctx context.Context, e *env.Env, sim *simulated.Nodes, resource, first, second string, want int) {
	ginkgo.GinkgoHelper()
	created := map[string]*resourceapi.DeviceClass{}
	remove := func(class string) {
		ginkgo.GinkgoHelper()
		if created[class] != nil {
			claims.DeleteDeviceClass(ctx, e, created[class].Name)
			delete(created, class)
		}
	}
	var last string
	err := wait.PollUntilContextTimeout(ctx, env.PollInterval, e.Timeouts.PodStart, true, func(context.Context) (bool, error) {
		remove(second)
		if want == 0 {
			remove(first)
		}
		for _, class := range []string{first, second} {
			if created[class] == nil {
				created[class] = claims.GetDeviceClass(ctx, e, sim.CreateExtendedResource(ctx, resource, class, named(e, class)).Class)
			}
		}
		one, two := created[first].CreationTimestamp, created[second].CreationTimestamp
		last = fmt.Sprintf("class %s was created at %s, and class %s at %s", first, one, second, two)
		return one.Compare(two.Time) == want, nil
	})
	gomega.Expect(context.Cause(ctx)).NotTo(gomega.HaveOccurred())
	if err != nil {
		e.NotApplicable("needs an API server that creates two classes in the same second, and in different ones: " + last)
	}
}

// waitUntilObserved waits until the scheduler has observed the DeviceClasses of the
// spec. It creates one more for the device seen, and a pod that requests the extended
// resource of this class. The scheduler observes classes in the order in which they
// are created and deleted.
func waitUntilObserved(ctx context.Context, e *env.Env, sim *simulated.Nodes) {
	ginkgo.GinkgoHelper()
	sim.CreateExtendedResource(ctx, "seen", "seen", named(e, "seen"))
	createPod(ctx, e, "seen", simulated.ExtendedResource(e, "seen"))
	pods.WaitForScheduled(ctx, e, "seen")
}
