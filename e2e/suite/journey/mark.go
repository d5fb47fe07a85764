// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journey

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite/claims"
)

// markKey is the key of the label and of the annotation of marked claims.
const markKey = "draconform.dev/checked"

// mark writes what changes of the cluster must not remove into claims: a label, an
// annotation, and a status of each device, if all devices of the claim are simulated and
// have none yet. The driver of other devices may write their status itself. An API server
// with the feature disabled stores no status.
func (r *Run) mark(ctx context.Context, names ...string) {
	ginkgo.GinkgoHelper()
	if r.isClassic() {
		return
	}
	for _, name := range names {
		claim := r.markMetadata(ctx, name)
		if reported := r.statuses(claim); len(reported) > 0 && len(claim.Status.Devices) == 0 {
			gomega.Expect(claims.UpdateDeviceStatus(ctx, r.Env, name, reported...)).To(gomega.Succeed())
		}
	}
}

func (r *Run) markMetadata(ctx context.Context, name string) *resourceapi.ResourceClaim {
	ginkgo.GinkgoHelper()
	client := r.Client.ResourceV1().ResourceClaims(r.Namespace)
	var claim *resourceapi.ResourceClaim
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() (err error) {
		if claim, err = client.Get(ctx, name, metav1.GetOptions{}); err != nil {
			return err
		}
		metav1.SetMetaDataLabel(&claim.ObjectMeta, markKey, "label")
		metav1.SetMetaDataAnnotation(&claim.ObjectMeta, markKey, "annotation of "+name)
		claim, err = client.Update(ctx, claim, metav1.UpdateOptions{})
		return err
	})
	gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the metadata of claim %s should be updated", name)
	return claim
}

// statuses returns a status for each device of a claim. There are none if it has a device
// that is not simulated.
func (r *Run) statuses(claim *resourceapi.ResourceClaim) []resourceapi.AllocatedDeviceStatus {
	var all []resourceapi.AllocatedDeviceStatus
	if claim.Status.Allocation == nil {
		return nil
	}
	for i, result := range claim.Status.Allocation.Devices.Results {
		if !slices.Contains(r.SimulatedDrivers, result.Driver) {
			return nil
		}
		status := claims.ReadyStatusOf(result, fmt.Sprintf("result %d of claim %s", i, claim.Name))
		if result.ShareID != nil {
			status.ShareID = ptr.To(string(*result.ShareID))
		}
		all = append(all, status)
	}
	return all
}
