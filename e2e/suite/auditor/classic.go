// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package auditor

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
)

// StartClassic is [Start] for a release with classic DRA, whose claims drivers allocate. It
// audits the claims of all drivers, and the pods of the spec.
func StartClassic(ctx context.Context, e *env.Env, target env.Target) *Auditor {
	a := &Auditor{
		retryTimeout: e.Timeouts.Response, auditor: audit.New(audit.Config{}),
		stopFollower: func() {}, readView: func(ctx context.Context) (audit.View, error) { return readClassic(ctx, e) },
	}
	a.schedulers.add(SchedulerOf(target))
	a.begin(ctx)
	return a
}

// readClassic reads a view. As in other views, a list is at least as new as those before it.
func readClassic(ctx context.Context, e *env.Env) (audit.View, error) {
	v := audit.View{At: time.Now(), Classic: &audit.Classic{Leaving: map[types.UID]bool{}}}
	claims, err := classic.ListAllClaims(ctx, e)
	if err != nil {
		return v, err
	}
	for _, claim := range claims {
		v.Claims = append(v.Claims, claim.AsNew())
		v.Classic.Leaving[claim.Metadata.UID] = claim.Status.DeallocationRequested
	}
	nodes, err := e.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return v, fmt.Errorf("list the nodes: %w", err)
	}
	v.Nodes = nodes.Items
	for _, namespace := range namespaces.Of(e) {
		pods, err := podsOf(ctx, e, namespace)
		if err != nil {
			return v, err
		}
		v.Pods = append(v.Pods, pods...)
	}
	return v, nil
}

func podsOf(ctx context.Context, e *env.Env, namespace string) ([]corev1.Pod, error) {
	pods, err := e.Client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list the pods of namespace %s: %w", namespace, err)
	}
	return pods.Items, nil
}
