// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"

	"github.com/draconform/draconform/e2e/nodeagent/api"
)

const (
	// infoTimeout is the time that a plugin has to answer GetInfo. The kubelet
	// allows one second. More avoids errors on busy nodes.
	infoTimeout = 5 * time.Second
	// maxSockets is the maximum number of sockets in the plugin registry.
	maxSockets = 256
)

// registrations calls GetInfo on all sockets in the plugin registry directory.
// The names of sockets do not tell which driver they belong to.
func (c Config) registrations(ctx context.Context, driver string) (api.Registrations, error) {
	var out api.Registrations
	sockets, err := c.sockets()
	if err != nil {
		return out, err
	}
	infos, errs := make([]*registerapi.PluginInfo, len(sockets)), make([]error, len(sockets))
	var wait sync.WaitGroup
	for i, socket := range sockets {
		wait.Go(func() { infos[i], errs[i] = getInfo(ctx, socket) })
	}
	wait.Wait()
	for i, socket := range sockets {
		switch info := infos[i]; {
		case errs[i] != nil:
			out.Silent = append(out.Silent, api.SilentSocket{Socket: socket, Error: errs[i].Error()})
		case info.Name == driver:
			out.Plugins = append(out.Plugins, api.Registration{
				Socket: socket, Type: info.Type, Name: info.Name, Endpoint: info.Endpoint, Versions: info.SupportedVersions,
			})
		}
	}
	return out, nil
}

// sockets returns the paths of the sockets that the kubelet finds, sorted: all
// sockets below the plugin registry directory whose names do not begin with a
// dot.
func (c Config) sockets() ([]string, error) {
	var all []string
	err := filepath.WalkDir(c.registryDir(), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && path == c.registryDir():
			return fmt.Errorf("read the plugin registry directory, which the kubelet creates: %w", err)
		case err != nil:
			return nil //nolint:nilerr // A file that was removed meanwhile.
		case entry.Type()&fs.ModeSocket == 0 || strings.HasPrefix(entry.Name(), "."):
			return nil
		case len(all) == maxSockets:
			return fmt.Errorf("the plugin registry directory %s has more than %d sockets", c.registryDir(), maxSockets)
		}
		all = append(all, path)
		return nil
	})
	return all, err
}

func getInfo(ctx context.Context, socket string) (*registerapi.PluginInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, infoTimeout)
	defer cancel()
	connection, err := dial(socket)
	if err != nil {
		return nil, err
	}
	defer func() { _ = connection.Close() }()
	info, err := registerapi.NewRegistrationClient(connection).GetInfo(ctx, &registerapi.InfoRequest{})
	if err != nil {
		return nil, fmt.Errorf("call GetInfo: %w", err)
	}
	return info, nil
}

func dial(socket string) (*grpc.ClientConn, error) {
	connection, err := grpc.NewClient("unix:"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", socket, err)
	}
	return connection, nil
}

// find returns a registration of a driver: that of the given socket, or the
// newest one. The kubelet also uses the one that has registered last.
func (c Config) find(ctx context.Context, driver, socket string) (api.Registration, error) {
	if err := c.allow(driver); err != nil {
		return api.Registration{}, err
	}
	found, err := c.registrations(ctx, driver)
	if err != nil {
		return api.Registration{}, err
	}
	candidates := slices.DeleteFunc(slices.Clone(found.Plugins), func(r api.Registration) bool {
		return socket != "" && r.Socket != socket
	})
	if len(candidates) == 0 {
		return api.Registration{}, notRegistered(driver, socket, found)
	}
	return slices.MaxFunc(candidates, func(a, b api.Registration) int {
		return cmp.Or(created(a.Socket).Compare(created(b.Socket)), strings.Compare(a.Socket, b.Socket))
	}), nil
}

// created returns the time when a socket was created, or the zero time if it
// was removed meanwhile.
func created(socket string) time.Time {
	info, err := os.Stat(socket)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

func notRegistered(driver, socket string, found api.Registrations) error {
	if socket != "" && len(found.Plugins) > 0 {
		return fmt.Errorf("driver %s has %w at socket %s, only at %s", driver, api.ErrNotRegistered, socket, found.Plugins[0].Socket)
	}
	var silent strings.Builder
	for _, s := range found.Silent {
		fmt.Fprintf(&silent, "; %s does not answer: %s", s.Socket, s.Error)
	}
	return fmt.Errorf("driver %s has %w with the kubelet%s", driver, api.ErrNotRegistered, silent.String())
}

// endpoint returns the socket for calls. As for the kubelet, it is the
// registration socket if the driver has no other.
func endpoint(r api.Registration) string { return cmp.Or(r.Endpoint, r.Socket) }
