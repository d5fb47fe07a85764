// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
)

// changeStatus changes the status of a claim as the user of the environment.
func changeStatus(ctx context.Context, e *env.Env, claim string, change func(*resourceapi.ResourceClaimStatus)) error {
	client := e.Client.ResourceV1().ResourceClaims(e.Namespace)
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		got, err := client.Get(ctx, claim, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(&got.Status)
		_, err = client.UpdateStatus(ctx, got, metav1.UpdateOptions{})
		return err
	})
}

// expectRefused asserts that a user lacked the right for an update of a field of the
// status, and that it was not stored.
func expectRefused(ctx context.Context, e *env.Env, claim, field string, change func(*resourceapi.ResourceClaimStatus), who string) {
	ginkgo.GinkgoHelper()
	before := claims.Get(ctx, e, claim).Status
	err := changeStatus(ctx, e, claim, change)
	expectRefusal(err, claim, field, who)
	gomega.Expect(claims.Get(ctx, e, claim).Status).To(gomega.Equal(before), "the status of claim %s should not change, because the update was refused", claim)
}

// expectRefusal asserts that an error of the API server is about a missing right to
// change a field of the status of a claim.
func expectRefusal(err error, claim, field, who string) {
	ginkgo.GinkgoHelper()
	gomega.Expect(err).To(gomega.HaveOccurred(), "%s should not be able to change %s of claim %s", who, field, claim)
	isRefusal := apierrors.IsForbidden(err)
	for _, invalid := range dryrun.InvalidFields(err) {
		isRefusal = isRefusal || strings.HasPrefix(invalid, field)
	}
	gomega.Expect(isRefusal).To(gomega.BeTrue(), "%s should be refused a change of %s of claim %s, because the right is missing: %v", who, field, claim, err)
}

// patchStatus patches the status of the devices of a claim as the user of the
// environment, or nothing without any.
func patchStatus(ctx context.Context, e *env.Env, kind types.PatchType, claim string, devices ...resourceapi.AllocatedDeviceStatus) error {
	status := map[string]any{}
	if len(devices) > 0 {
		status["devices"] = devices
	}
	patch, err := json.Marshal(map[string]any{
		"apiVersion": resourceapi.SchemeGroupVersion.String(), "kind": "ResourceClaim", "metadata": map[string]any{"name": claim}, "status": status,
	})
	if err != nil {
		return fmt.Errorf("encode the patch: %w", err)
	}
	var options metav1.PatchOptions
	if kind == types.ApplyPatchType {
		options.FieldManager, options.Force = "draconform", ptr.To(true)
	}
	_, err = e.Client.ResourceV1().ResourceClaims(e.Namespace).Patch(ctx, claim, kind, patch, options, "status")
	return err
}
