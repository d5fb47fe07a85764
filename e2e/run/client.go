// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/draconform/draconform/e2e/internal/reads"
	"github.com/draconform/draconform/e2e/suite/env"
)

// connect creates the client for specs. The configuration is nil if the provider of the
// cluster cannot read its kubeconfig.
func (r *runner) connect(config *rest.Config) (err error) {
	if config == nil {
		return errors.New("connect to the cluster: its kubeconfig cannot be read")
	}
	// Warnings of the API server, such as those about names without dots, are
	// meant for users.
	config.WarningHandler = rest.NoWarnings{}
	// Specs poll frequently. The default of 5 requests a second would throttle
	// them.
	config.QPS, config.Burst = 100, 200
	// Lists of slices are large, and encoding them as JSON takes an API server
	// several times as long.
	config.ContentType, config.AcceptContentTypes = runtime.ContentTypeProtobuf, runtime.ContentTypeProtobuf+","+runtime.ContentTypeJSON
	config.Wrap(reads.Repeat)
	r.config = config
	if r.client, err = kubernetes.NewForConfig(config); err != nil {
		return fmt.Errorf("connect to the cluster: %w", err)
	}
	return nil
}

// as returns a client that acts as another user.
func (r *runner) as(user env.User) (kubernetes.Interface, error) {
	config := rest.CopyConfig(r.config)
	config.Impersonate = rest.ImpersonationConfig{UserName: user.Name, Groups: user.Groups, Extra: user.Extra}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("create a client that acts as %s: %w", user.Name, err)
	}
	return client, nil
}
