set -e
root=$1 goroot=$2 script=$3
mount --make-rprivate /
mount --bind "$root" "$root"
mkdir -p "$root$goroot" "$root/.host"
mount --bind -o ro "$goroot" "$root$goroot"
[ "$goroot" = /usr/local/go ] || ln -sfn "$goroot" "$root/usr/local/go"
for folder in dev sys; do mount --rbind /$folder "$root/$folder"; done
mount -t proc proc "$root/proc"
cd "$root"
pivot_root . .host
cd /
umount -l /.host
rmdir /.host
exec sh -c "$script"
