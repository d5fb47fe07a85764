// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/draconform/draconform/e2e/suite/env"
)

// UpdateDeviceStatus writes the device statuses of a claim, as a driver does.
// They replace all previous device statuses (KEP-4817). It returns the error of
// the API server.
func UpdateDeviceStatus(ctx context.Context, e *env.Env, claim string, devices ...resourceapi.AllocatedDeviceStatus) error {
	ginkgo.By(fmt.Sprintf("writing the status of %d devices of claim %s", len(devices), claim))
	claims := e.Client.ResourceV1().ResourceClaims(e.Namespace)
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		got, err := claims.Get(ctx, claim, metav1.GetOptions{})
		if err != nil {
			return err
		}
		got.Status.Devices = devices
		_, err = claims.UpdateStatus(ctx, got, metav1.UpdateOptions{})
		return err
	})
}

// GetDeviceStatus returns the device statuses of a claim.
func GetDeviceStatus(ctx context.Context, e *env.Env, claim string) []resourceapi.AllocatedDeviceStatus {
	ginkgo.GinkgoHelper()
	got, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, claim, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return got.Status.Devices
}

// ReserveForPod reserves an allocated claim for a pod of the spec, in addition
// to its other consumers. It returns the error of the API server.
func ReserveForPod(ctx context.Context, e *env.Env, claim, pod string) error {
	ginkgo.By(fmt.Sprintf("reserving claim %s for pod %s", claim, pod))
	user, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, pod, metav1.GetOptions{})
	if err != nil {
		return err
	}
	claims := e.Client.ResourceV1().ResourceClaims(e.Namespace)
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		got, err := claims.Get(ctx, claim, metav1.GetOptions{})
		if err != nil {
			return err
		}
		got.Status.ReservedFor = append(got.Status.ReservedFor, resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: pod, UID: user.UID})
		_, err = claims.UpdateStatus(ctx, got, metav1.UpdateOptions{})
		return err
	})
}
