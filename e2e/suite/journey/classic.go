// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journey

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// isClassic reports whether the cluster has the API of classic DRA instead of that of newer
// releases. A run has a driver of classic DRA only in such releases, and journeys there need
// one.
func (r *Run) isClassic() bool { return r.Classic != nil }

// getClassicObjects is the part of getObjects for classic DRA. The specs of claims have
// fields that newer releases do not have, so they are among the other objects.
func (r *Run) getClassicObjects(ctx context.Context, running []corev1.Pod) (objects, error) {
	now := objects{
		pods:   byName(running, func(p corev1.Pod) string { return p.Name }),
		claims: map[string]resourceapi.ResourceClaim{}, others: map[string]other{},
	}
	claims, err := classic.ListClaims(ctx, r.Env)
	if err != nil {
		return objects{}, err
	}
	for _, c := range claims {
		now.claims[c.Metadata.Name] = resourceapi.ResourceClaim{ObjectMeta: c.Metadata, Status: c.Status}
		spec := c.Spec
		if spec["controller"] == nil { // Releases state what the scheduler allocates in different ways.
			spec = map[string]any{}
		}
		now.others[classicKey(c.Metadata.Name)] = other{meta: c.Metadata, spec: spec}
	}
	templates, err := classic.ListTemplates(ctx, r.Env)
	if err != nil {
		return objects{}, err
	}
	for _, t := range templates {
		now.others["template "+t.Metadata.Name] = other{meta: t.Metadata, spec: t.Spec}
	}
	classes, err := classic.ListClasses(ctx, r.Env)
	if err != nil {
		return objects{}, err
	}
	for _, c := range classes {
		now.others[classKey(c.Metadata.Name)] = other{meta: c.Metadata, spec: c.Spec}
	}
	return now, nil
}

func classicKey(claim string) string { return "classic claim " + claim }

// classKey returns the key of a DeviceClass in objects.others.
func classKey(name string) string { return "class " + name }

// expectDevices asserts which devices the container of a pod sees.
func (r *Run) expectDevices(ctx context.Context, pod string, want []audit.DeviceID) {
	ginkgo.GinkgoHelper()
	if !r.isClassic() {
		pods.ExpectContainerDevices(ctx, r.Env, pod, "", want)
		return
	}
	var names []string
	for _, d := range want {
		names = append(names, d.Pool+"/"+d.Device)
	}
	classic.ExpectSeen(ctx, r.Env, pod, names)
}

// expectNoOverallocation asserts that no device is given to more claims than it can have.
// Drivers of classic DRA publish no devices. Each of theirs is for one claim.
func (r *Run) expectNoOverallocation(ctx context.Context) {
	ginkgo.GinkgoHelper()
	if !r.isClassic() {
		devices.ExpectNoOverallocation(ctx, r.Env)
		return
	}
	twice, err := classic.FindGivenTwice(ctx, r.Env)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(twice).To(gomega.BeEmpty(), "each device should be given to one claim")
}
