// set-client SOCKET NAME=VALUE: the smallest possible client.
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int count, char **arguments) {
  if (count != 3 || strlen(arguments[1]) >= sizeof((struct sockaddr_un *)0)->sun_path) return 64;
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  strcpy(to.sun_path, arguments[1]);
  char line[4096];
  int fd = socket(AF_UNIX, SOCK_STREAM, 0), length = snprintf(line, sizeof line, "%s\nsync\n", arguments[2]);
  if (connect(fd, (struct sockaddr *)&to, sizeof to) < 0 || write(fd, line, (size_t)length) != length) return 69;
  return read(fd, line, sizeof line) == 3 ? 0 : 77;
}
