// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
)

// prioritizedListNeedsQuotaForEach limits the devices of two DeviceClasses
// with a ResourceQuota, and creates claims with a subrequest for each class.
// It compares the usage that the quota reports.
var prioritizedListNeedsQuotaForEach = suite.Spec{
	ID:          "prioritized-list-needs-quota-for-each",
	Description: "A claim needs quota for every subrequest, and is rejected if one of them exceeds it.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    simulatedFeatures,
	Component:   env.Cluster,
	Needs:       []env.Need{env.NeedsOwnNamespace},
	Requirements: []string{
		"4816-quota-for-each-alternative",
	},
	Body: func(ctx context.Context, e *env.Env) {
		// These claims are not allocated, so the DeviceClasses do not need to
		// exist.
		createQuota(ctx, e, map[string]int64{"plenty": 10, "scarce": 4})
		both := func(plenty, scarce int64) resourceapi.DeviceClaim {
			return resourceapi.DeviceClaim{Requests: []resourceapi.DeviceRequest{{Name: "list", FirstAvailable: []resourceapi.DeviceSubRequest{
				{Name: "first", DeviceClassName: "plenty", Count: plenty}, {Name: "second", DeviceClassName: "scarce", Count: scarce},
			}}}}
		}
		either := func(scarce int64) resourceapi.DeviceClaim { return both(1, scarce) }
		accepted := func(name string, devices resourceapi.DeviceClaim, used map[string]int64) {
			ginkgo.GinkgoHelper()
			_, err := claims.Create(ctx, e, name, devices)
			gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the quota suffices for each alternative of claim %s", name)
			expectUsed(ctx, e, used)
		}

		accepted("within", either(2), map[string]int64{"plenty": 1, "scarce": 2})
		expectExceeded(ctx, e, either(3), "2 devices are left of the quota for the class of its second alternative")
		expectExceeded(ctx, e, both(10, 1), "9 devices are left of the quota for the class of its first alternative")
		accepted("rest", either(2), map[string]int64{"plenty": 2, "scarce": 4})
		expectExceeded(ctx, e, either(1), "the quota for the class of its second alternative is used up")
		accepted("other", newClaim("plenty", 1), map[string]int64{"plenty": 3, "scarce": 4})
	},
}

const quotaName = "devices"

// quotaResource returns the name of the quota resource for devices of a
// DeviceClass.
func quotaResource(class string) corev1.ResourceName {
	return corev1.ResourceName(class + ".deviceclass.resource.k8s.io/devices")
}

// expectUsed asserts the usage that the quota of [createQuota] reports for each
// DeviceClass.
func expectUsed(ctx context.Context, e *env.Env, want map[string]int64) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) (map[string]int64, error) {
		quota, err := e.Client.CoreV1().ResourceQuotas(e.Namespace).Get(ctx, quotaName, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		used := map[string]int64{}
		for class := range want {
			amount := quota.Status.Used[quotaResource(class)]
			used[class] = amount.Value()
		}
		return used, nil
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Equal(want), "the quota should count what each alternative of the claims needs")
}

// newClaim returns a claim for devices of a DeviceClass without subrequests.
func newClaim(class string, count int64) resourceapi.DeviceClaim {
	return resourceapi.DeviceClaim{Requests: []resourceapi.DeviceRequest{{Name: "device", Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: class, Count: count}}}}
}

// expectExceeded asserts that the API server rejects a claim because of a
// quota. The API server may observe the quota late. The claim is created in a
// dry run, so that it never exists without being counted.
func expectExceeded(ctx context.Context, e *env.Env, devices resourceapi.DeviceClaim, because string) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) error { return claims.DryRunCreate(ctx, e, devices) }).
		WithTimeout(e.Timeouts.PodStart).Should(gomega.Satisfy(apierrors.IsForbidden), "the claim should be rejected, because %s", because)
}

// createQuota creates a quota for devices of DeviceClasses in the namespace of
// the spec, and waits until it is enforced.
func createQuota(ctx context.Context, e *env.Env, limits map[string]int64) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("limiting devices by class: %v", limits))
	quotas := e.Client.CoreV1().ResourceQuotas(e.Namespace)
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: quotaName, Labels: e.Labels}, Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{}}}
	for class, limit := range limits {
		quota.Spec.Hard[quotaResource(class)] = *resource.NewQuantity(limit, resource.DecimalSI)
	}
	e.Cleanups = append(e.Cleanups, func(ctx context.Context) error { return deleteQuota(ctx, e) })
	_, err := quotas.Create(ctx, quota, metav1.CreateOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Eventually(ctx, func(ctx context.Context) (corev1.ResourceList, error) {
		got, err := quotas.Get(ctx, quota.Name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		return got.Status.Used, nil
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.HaveLen(len(limits)), "the quota should be enforced")
	for class, limit := range limits {
		expectExceeded(ctx, e, newClaim(class, limit+1), fmt.Sprintf("the quota is of %d devices of class %s", limit, class))
	}
}

// deleteQuota deletes the quota of [createQuota], which would limit later specs
// in the same namespace.
func deleteQuota(ctx context.Context, e *env.Env) error {
	err := e.Client.CoreV1().ResourceQuotas(e.Namespace).Delete(ctx, quotaName, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete quota %s: %w", quotaName, err)
	}
	return nil
}
