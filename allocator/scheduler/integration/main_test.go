// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package integration runs the scheduler against a kube-apiserver with etcd. There is no kubelet: a pod is done when
// it is bound, and the tests release claims in place of the controllers.
package integration

import (
	"context"
	"fmt"
	"os"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/draconform/draconform/allocator/scheduler/internal/controlplane"
)

var (
	environment *envtest.Environment
	admin       *rest.Config
	// scratch is a folder for binaries that are built once.
	scratch string
)

func TestMain(m *testing.M) {
	klog.SetLogger(klog.Logger{})
	metrics.Register()
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	dir, err := controlplane.Binaries(context.Background(), controlplane.KubeAPIServer, controlplane.Etcd)
	if err != nil {
		return 0, err
	}
	if scratch, err = os.MkdirTemp("", "draconform-scheduler-"); err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	environment = &envtest.Environment{BinaryAssetsDirectory: dir, Scheme: scheme.Scheme}
	if admin, err = environment.Start(); err != nil {
		return 0, fmt.Errorf("start the control plane: %w", err)
	}
	defer func() {
		if stopErr := environment.Stop(); err == nil && stopErr != nil {
			err = fmt.Errorf("stop the control plane: %w", stopErr)
		}
	}()
	return m.Run(), nil
}
