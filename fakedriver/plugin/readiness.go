package plugin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"

	"github.com/draconform/draconform/fakedriver/publish"
)

// registration remembers whether the kubelet accepted the plugin. It listens to
// the kubelet's calls because kubeletplugin.Helper.RegistrationStatus must not
// be called while they happen.
type registration struct {
	done atomic.Bool
}

func (r *registration) intercept(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	response, err := handler(ctx, request)
	if info.FullMethod == registerapi.Registration_NotifyRegistrationStatus_FullMethodName {
		r.done.Store(err == nil)
	}
	return response, err
}

// serveReadiness answers requests to /readyz with 200 once the kubelet has
// registered the plugin and the API server has its devices, and with 503 and a
// reason before. It returns when the context is done.
func serveReadiness(ctx context.Context, listener net.Listener, registration *registration, publisher *publish.Publisher) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		switch err := publisher.Err(); {
		case !registration.done.Load():
			http.Error(w, "the kubelet has not registered the plugin", http.StatusServiceUnavailable)
		case err != nil:
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		default:
			_, _ = fmt.Fprintln(w, "ok")
		}
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve readiness: %w", err)
	}
	return nil
}
