// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// waitForClaimsInUse waits until the kubelet of a node reports as many claims of
// a driver in use as pods of the node use. A neighbour's pod that has not started, for
// example because of a volume, may or may not have its claims prepared, and claims of pods
// that were started before the kubelet need not be counted. It does nothing
// if the kubelet's number is not known.
func waitForClaimsInUse(ctx context.Context, e *env.Env, driver, node string) {
	ginkgo.GinkgoHelper()
	if e.Drivers == nil || e.Drivers.Lacks(driver, operations.ClaimsInUse) != "" {
		return
	}
	gomega.Eventually(ctx, func(ctx context.Context) error {
		got, err := e.Drivers.ClaimsInUse(ctx, driver, node)
		if errors.Is(err, operations.ErrNotKnown) {
			return nil
		}
		if err != nil {
			return err
		}
		used, perhaps, err := listUsedClaims(ctx, e, driver, node, got.Since)
		if err == nil && (got.Claims < len(used) || got.Claims > len(used)+len(perhaps)) {
			err = fmt.Errorf("the kubelet of node %s reports %d claims of driver %s in use, pods of the node use %d: %v; pods that have not started, or were started before the kubelet, and consumers that are no pods use %v",
				node, got.Claims, driver, len(used), used, perhaps)
		}
		return err
	}).WithTimeout(e.Timeouts.Deletion).Should(gomega.Succeed(), "the kubelet should have exactly the claims prepared that pods use")
}

// listUsedClaims returns the claims of all namespaces that are allocated devices
// of a driver and reserved for a pod of a node, as namespace/name. Those in perhaps are
// only reserved for pods that have not started, or had started at a time before which a
// kubelet need not count claims, or for consumers that are no pods.
func listUsedClaims(ctx context.Context, e *env.Env, driver, node string, since time.Time) (used, perhaps []string, err error) {
	claims, err := e.Client.ResourceV1().ResourceClaims(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, nil, fmt.Errorf("list the claims of all namespaces: %w", err)
	}
	for i := range claims.Items {
		claim := &claims.Items[i]
		if !slices.ContainsFunc(audit.Allocated(claim), func(id audit.DeviceID) bool { return id.Driver == driver }) {
			continue
		}
		here, counts, err := isUsedOn(ctx, e, claim, node, since)
		switch name := claim.Namespace + "/" + claim.Name; {
		case err != nil:
			return nil, nil, err
		case counts:
			used = append(used, name)
		case here:
			perhaps = append(perhaps, name)
		}
	}
	return used, perhaps, nil
}

// isUsedOn reports whether a claim is reserved for a pod of a node, and whether one of
// these has started since a time.
func isUsedOn(ctx context.Context, e *env.Env, claim *resourceapi.ResourceClaim, node string, since time.Time) (here, started bool, err error) {
	for _, user := range claim.Status.ReservedFor {
		if user.Resource != "pods" { // Pods of another consumer, such as a PodGroup, may be there.
			here = true
			continue
		}
		pod, err := e.Client.CoreV1().Pods(claim.Namespace).Get(ctx, user.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return false, false, fmt.Errorf("get pod %s/%s, which uses claim %s: %w", claim.Namespace, user.Name, claim.Name, err)
		}
		if pod.Spec.NodeName == node && pod.UID == user.UID {
			here, started = true, started || hasStartedSince(pod, since)
		}
	}
	return here, started, nil
}

// hasStartedSince reports whether a pod has started, and the kubelet has accepted it since a
// time by the clock of its node.
func hasStartedSince(pod *corev1.Pod, since time.Time) bool {
	return pod.Status.Phase != corev1.PodPending && (since.IsZero() || pod.Status.StartTime != nil && pod.Status.StartTime.After(since))
}
