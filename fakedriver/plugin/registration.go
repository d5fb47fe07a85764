// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

// registration registers a driver with the kubelet through a socket in the
// plugin registry directory. The kubelet deregisters the driver when the socket
// is removed.
type registration struct {
	// start starts to listen on the socket.
	start func(kubeletplugin.Option) (*kubeletplugin.Helper, error)
	// registered is called when the kubelet has registered the driver.
	registered func()

	mu     sync.Mutex
	helper *kubeletplugin.Helper // nil while the socket does not exist
	// withdrawn is set when the socket must not exist.
	withdrawn bool
	// done is set when the kubelet has registered the driver. An interceptor
	// observes that, because kubeletplugin.Helper.RegistrationStatus must not
	// be called during a call of the kubelet.
	done atomic.Bool
}

// withdraw removes the socket.
func (r *registration) withdraw() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.withdrawn = true
	r.remove()
}

// remove removes the socket, for now. The caller must hold the lock.
func (r *registration) remove() {
	r.helper.Stop()
	r.helper = nil
	r.done.Store(false)
}

// offer creates the socket.
func (r *registration) offer() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.withdrawn = false
	return r.create()
}

// create creates the socket if it does not exist. The caller must hold the lock.
func (r *registration) create() error {
	if r.helper != nil {
		return nil
	}
	helper, err := r.start(kubeletplugin.GRPCInterceptor(r.intercept))
	if err != nil {
		return fmt.Errorf("create the registration socket: %w", err)
	}
	r.helper = helper
	return nil
}

func (r *registration) intercept(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	response, err := handler(ctx, request)
	if info.FullMethod == registerapi.Registration_NotifyRegistrationStatus_FullMethodName {
		r.done.Store(err == nil)
		r.registered()
	}
	return response, err
}
