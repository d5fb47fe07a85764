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

// registration offers a driver to the kubelet by a socket in its registry. The
// kubelet forgets the driver when the socket goes away.
type registration struct {
	// start listens on the socket.
	start func(kubeletplugin.Option) (*kubeletplugin.Helper, error)

	mu     sync.Mutex
	helper *kubeletplugin.Helper // nil while the driver is not offered
	// done is set when the kubelet has accepted the driver. The interceptor
	// finds out because kubeletplugin.Helper.RegistrationStatus must not be
	// called while the kubelet calls.
	done atomic.Bool
}

// withdraw takes the socket away.
func (r *registration) withdraw() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.helper.Stop()
	r.helper = nil
	r.done.Store(false)
}

// offer makes the socket.
func (r *registration) offer() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.helper != nil {
		return nil
	}
	helper, err := r.start(kubeletplugin.GRPCInterceptor(r.intercept))
	if err != nil {
		return fmt.Errorf("offer the driver to the kubelet: %w", err)
	}
	r.helper = helper
	return nil
}

func (r *registration) intercept(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	response, err := handler(ctx, request)
	if info.FullMethod == registerapi.Registration_NotifyRegistrationStatus_FullMethodName {
		r.done.Store(err == nil)
	}
	return response, err
}
