// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package integration runs the scheduler in a control plane of local processes. There is no kubelet: a pod is done when
// it is bound.
package integration

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/controlplane"
	"github.com/draconform/draconform/clusters/nodeimage"
	"github.com/draconform/draconform/clusters/progress"
)

var (
	// admin is the configuration of a client that may do everything.
	admin *rest.Config
	// schedulerKubeconfig is the path of a kubeconfig with the permissions of kube-scheduler.
	schedulerKubeconfig string
	// scratch is a folder for binaries that are built once.
	scratch string
)

func TestMain(m *testing.M) {
	klog.SetLogger(klog.Logger{})
	metrics.Register()
	code, err := run(context.Background(), m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// run starts the control plane for all tests.
func run(ctx context.Context, m *testing.M) (code int, err error) {
	if scratch, err = os.MkdirTemp("", "draconform-scheduler-"); err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	reporter := progress.New(os.Stderr)
	provider := controlplane.New(controlplane.Options{
		Name: "integration", Scheduler: controlplane.Scheduler{External: true}, Progress: reporter,
		Programs: func(ctx context.Context) (string, error) {
			return nodeimage.Programs(ctx, nodeimage.Options{Release: clusters.Newest(), Progress: reporter})
		},
	})
	if _, err := provider.Create(ctx); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, provider.Destroy(ctx)) }()
	admin, schedulerKubeconfig = provider.KubernetesRestConfig(), provider.SchedulerKubeconfig()
	return m.Run(), provider.Ended()
}
