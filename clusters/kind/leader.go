// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/clusters/internal/staticpod"
)

// leader returns the identity of the scheduler that holds the lease.
func leader(ctx context.Context, client kubernetes.Interface) (string, error) {
	lease, err := client.CoordinationV1().Leases(metav1.NamespaceSystem).Get(ctx, "kube-scheduler", metav1.GetOptions{})
	if err != nil {
		return "", fmt.Errorf("read the lease of the scheduler: %w", err)
	}
	return ptr.Deref(lease.Spec.HolderIdentity, ""), nil
}

// waitForScheduler waits until the scheduler of the given image is ready and
// the holder of the lease differs from before. On a timeout, the error contains
// the state of the container and the last lines of its log.
func waitForScheduler(ctx context.Context, client kubernetes.Interface, image, before string) error {
	err := poll(ctx, schedulerTimeout, func(ctx context.Context) error { return schedulerReady(ctx, client, image, before) })
	if err != nil {
		return fmt.Errorf("wait until scheduler %s leads: %w%s", image, err, schedulerLog(ctx, client, image))
	}
	return nil
}

func schedulerReady(ctx context.Context, client kubernetes.Interface, image, before string) error {
	pod, err := schedulerMirror(ctx, client, image)
	if err != nil {
		return err
	}
	if err := staticpod.Ready(pod); err != nil {
		return err
	}
	return checkNewLeader(ctx, client, before)
}

// checkNewLeader returns an error unless the lease has a holder that differs from
// before.
func checkNewLeader(ctx context.Context, client kubernetes.Interface, before string) error {
	now, err := leader(ctx, client)
	if err == nil && (now == "" || now == before) {
		err = errors.New("its process does not lead")
	}
	return err
}

// schedulerMirror returns the mirror pod of the scheduler's static pod.
func schedulerMirror(ctx context.Context, client kubernetes.Interface, image string) (*corev1.Pod, error) {
	pods, err := client.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{LabelSelector: "component=kube-scheduler"})
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(pods.Items, func(p corev1.Pod) bool {
		return len(p.Spec.Containers) > 0 && p.Spec.Containers[0].Image == image && p.DeletionTimestamp == nil
	})
	if i < 0 {
		return nil, errors.New("its kubelet has not started the pod")
	}
	return &pods.Items[i], nil
}

// schedulerLog returns the last lines of the scheduler's log. It is empty if
// they cannot be read.
func schedulerLog(ctx context.Context, client kubernetes.Interface, image string) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	pod, err := schedulerMirror(ctx, client, image)
	if err != nil {
		return ""
	}
	out, err := client.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, &corev1.PodLogOptions{TailLines: ptr.To[int64](15)}).DoRaw(ctx)
	if err != nil || len(out) == 0 {
		return ""
	}
	return "; last lines of its log:\n" + strings.TrimSpace(string(out))
}
